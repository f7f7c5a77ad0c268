"""The generation baseline `postks`: posterior knowledge selection."""
