"""`numba.core.event`: `rumba.events`."""
from ...events import (  # noqa: F401
    Event, EventStatus, Listener, RecordingListener, TimingListener, _registered, broadcast, end_event, install_listener, install_recorder,
    install_timer, register, start_event, trigger_event, unregister,
)
