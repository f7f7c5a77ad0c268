"""People who come by an open link: into a campaign as volunteers, into a track as participants."""
