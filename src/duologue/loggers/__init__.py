"""Where the metrics of a training go as it goes on (`train --log NAME`): files in the model's folder.

All of them begin with `training.`: they are no part of the model. Nothing is sent anywhere.
"""
