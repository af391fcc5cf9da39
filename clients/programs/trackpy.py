"""trackpy: particles in images."""
import numpy as np
import pandas as pd
import trackpy


def _image():
    draw = np.random.default_rng(4)
    y, x = np.mgrid[:64, :64]
    image = sum(np.exp(-((y - a) ** 2 + (x - b) ** 2) / 8) for a, b in draw.random((6, 2)) * 50 + 7)
    return (image * 200).astype(np.uint8)


def locate():
    """Centers refined by a compiled kernel."""
    return trackpy.locate(_image(), 9, engine="numba")[["y", "x", "mass"]].to_numpy()


def link():
    """Places linked to paths."""
    trackpy.quiet()
    draw = np.random.default_rng(0)
    start = draw.random((10, 2)) * 50
    places = np.concatenate([start + frame for frame in range(4)])
    frame = pd.DataFrame({"x": places[:, 0], "y": places[:, 1], "frame": np.repeat(np.arange(4), 10)})
    return trackpy.link(frame, 3, link_strategy="numba")["particle"].to_numpy()
