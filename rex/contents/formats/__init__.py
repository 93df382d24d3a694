"""One module per format: each reads a content into parts."""
