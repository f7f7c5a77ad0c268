"""Calls of chat endpoints: client, caps, account, kept calls; whoever asks a chat model asks through this room."""
