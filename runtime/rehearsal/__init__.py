"""Scenarios played on the real kernel, with simulated services and a fake clock."""
