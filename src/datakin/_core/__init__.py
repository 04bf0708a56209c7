"""What every room may use: errors, checks, seeds, files, notes, progress. It imports no other room."""
