"""What every room may use: errors, seeds, progress. Imports nothing else of datakin."""
