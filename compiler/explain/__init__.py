"""The pages that `saga explain` shows, one for each code."""
