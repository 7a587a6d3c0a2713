"""The service from Python: a typed client, and the check of what its webhooks send."""

from askance.client.calls import Client, ServiceRefused
from askance.client.signatures import verified

__all__ = ["Client", "ServiceRefused", "verified"]
