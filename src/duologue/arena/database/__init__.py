"""The database of the site: one writer with batched commits, snapshots to read, kept files, backup and restore."""
