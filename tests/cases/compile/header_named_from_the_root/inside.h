// The folder itself.
