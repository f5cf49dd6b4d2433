"""Campaigns: one script in many separate launches, in one or several configurations, kept in one directory.

    for name, files in read_campaign("my.campaign").items():
        print(name, len(files), "launches")
"""

from .directory import read_campaign
