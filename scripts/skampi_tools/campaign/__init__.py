"""Campaigns: one script in many separate launches, in one or several configurations, kept in one directory."""
