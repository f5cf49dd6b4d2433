"""Campaigns: one script in many separate launches, in one or several configurations, kept in one
directory, which docs/tools/skampi-campaign.md describes.

    for name, files in read_campaign("my.campaign").items():
        print(name, len(files), "launches")
"""

from .definition import (MOST_LAUNCHES, MOST_PES, ORDERS, check_launchers, command_of, command_text, define,
                         environment_of, find_script)
from .directory import (DEFINITION, is_campaign, open_directory, read_campaign, read_definition, read_json,
                        read_launch)
from .run import Campaign, plan
