"""What every room may use: errors, warnings, checks, files, progress, seeds. It imports no other room."""
