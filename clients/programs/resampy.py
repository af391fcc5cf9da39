"""resampy: sample-rate conversion."""
import numpy as np
import resampy


def _tone(rate, seconds=0.2):
    return np.sin(2 * np.pi * 440 * np.arange(int(rate * seconds)) / rate)


def _check(found, rate):
    expected = _tone(rate)[:len(found)]
    middle = slice(len(expected) // 4, -len(expected) // 4)
    assert np.abs(found - expected)[middle].max() < 1e-2
    return found


def downsample():
    """A tone from 44.1 kHz to 22.05 kHz (guvectorize)."""
    return _check(resampy.resample(_tone(44100), 44100, 22050, filter="kaiser_fast"), 22050)


def upsample():
    """Two channels from 8 kHz to 11.025 kHz."""
    two = np.stack([_tone(8000)] * 2)
    return np.stack([_check(row, 11025) for row in resampy.resample(two, 8000, 11025, axis=1)])


def in_parallel():
    """The same with parallel=True."""
    return _check(resampy.resample(_tone(8000), 8000, 16000, parallel=True), 16000)


def at_given_times():
    """Values at times that are not evenly spaced."""
    times = np.sort(np.random.default_rng(0).random(500)) * 0.19
    return resampy.resample_nu(_tone(8000), 8000, times)
