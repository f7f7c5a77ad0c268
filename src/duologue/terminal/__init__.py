"""The terminal: what every command prints through, and the paths and options that commands share."""
