"""Pictures of what became of functions."""
import xml.etree.ElementTree

from rumba import njit


def test_control_flow_is_a_picture():
    @njit
    def f(n):
        total = 0
        while n > 0:
            total += n if n % 3 else 1
            n -= 2
        return total
    f(9)
    graph = f.inspect_cfg(f.signatures[0])
    picture = xml.etree.ElementTree.fromstring(graph._repr_svg_())
    tags = [one.tag.rpartition("}")[2] for one in picture.iter()]
    assert tags.count("rect") == graph.dot.count("[label=") and tags.count("path") == graph.dot.count(" -> ") + 1
    assert 'class="back"' in graph._repr_svg_(), "the loop goes back"
