"""The pages of the site, an area each."""
