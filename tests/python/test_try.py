"""`try`: what is caught, what is bound, what is raised again, and what `finally` does on every way out."""
import numpy as np
import pytest

from exception_outcomes import same
from leaks import nothing_leaks  # noqa: F401
from rumba import njit


class Own(ValueError):
    """A class of the user."""


class Special(Own):
    """One that derives from it."""


def test_what_the_runtime_raises_is_caught():
    def divided(x, y):
        result = 0
        try:
            result = x // y
        except ZeroDivisionError:
            result = -1
        return result

    def item(a, i):
        try:
            return float(a[i])
        except IndexError:
            return -1.0

    def key(d, k):
        try:
            return d[k]
        except KeyError as error:
            return str(error)

    def unbound(x):
        try:
            if x:
                y = 1
            return y
        except UnboundLocalError as error:
            return len(str(error))

    def deep(n):
        try:
            return deep(n + 1)
        except RecursionError:
            return 1

    same(divided, (7, 2), (7, 0), (-7, 2))
    same(item, *((np.arange(3.0), i) for i in (0, 2, 5, -3, -4)))
    same(key, ({"a": "b"}, "a"), ({"a": "b"}, "c"))
    same(unbound, (True,), (False,))


def test_classes_tuples_and_bases():
    def which(x):
        try:
            if x == 1:
                raise ValueError("one", x)
            if x == 2:
                raise KeyError("two")
            if x == 3:
                raise IndexError(x * 2)
            if x == 4:
                raise RuntimeError
            if x == 5:
                raise OverflowError("five")
            if x == 6:
                raise KeyboardInterrupt
            if x == 7:
                raise Special("own", x)
            text = "none"
        except Own as error:
            text = "O" + repr(error)
        except ValueError as error:
            text = "V" + str(error)
        except (KeyError, IndexError) as error:
            text = "K" + repr(error)
        except ArithmeticError:
            text = "A"
        except Exception as error:
            text = "E" + str(error) + repr(error)
        except:  # noqa: E722
            text = "all"
        else:
            text += " else"
        return text

    same(which, *((x,) for x in range(9)))


def test_finally_runs_on_every_way():
    def loop(x):
        n = 0
        for i in range(10):
            try:
                if i == x:
                    break
                if i % 3 == 1:
                    continue
                if i == 7 and x > 20:
                    return -n
                if i == 7:
                    raise ValueError("seven")
                n += 1
            except ValueError:
                n += 1000
                if x == 15:
                    raise
            else:
                n += 10
            finally:
                n += 100
                if x == 17:
                    n += 1
        return n

    def replaced(x):
        try:
            if x == 0:
                raise KeyError(x)
            return x
        finally:
            if x == 1:
                raise ValueError("finally")
            if x == 2:
                return 7

    def swallowed(x):
        while True:
            try:
                return 1 // x
            finally:
                break
        return -1

    same(loop, *((x,) for x in (3, 7, 8, 12, 15, 17, 21, -1)))
    same(replaced, (0,), (1,), (2,), (3,))
    same(swallowed, (0,), (1,))


def test_raised_again_and_chained():
    def nested(x):
        try:
            try:
                raise ValueError("a")
            except ValueError:
                if x == 1:
                    raise
                if x == 2:
                    raise KeyError("b")
                x = x // (x - 3)
        except KeyError:
            raise TypeError("c")
        return x

    def caused(x):
        try:
            raise ValueError(x, "text" * x)
        except ValueError as error:
            if x == 1:
                raise KeyError("k") from error
            if x == 2:
                raise KeyError("k") from None
            if x == 3:
                raise error
            if x == 4:
                raise KeyError("k") from IndexError("i" * x)
            if x == 5:
                raise error from KeyError
            raise KeyError("k")

    def later(x):
        try:
            raise ValueError(x)
        except ValueError:
            try:
                raise KeyError(x)
            except KeyError as error:
                if x:
                    raise
                return repr(error)

    def bare(x):
        raise

    same(nested, *((x,) for x in range(5)))
    same(caused, *((x,) for x in range(7)))
    same(later, (0,), (1,))
    same(bare, (1,))


def test_raised_again_behind_a_try_in_the_same_body():
    def once(n):
        items = [1]
        try:
            items[n] = 2
            try:
                n += items[n]
            except ValueError as error:
                n += 2
        except IndexError as error:
            raise
        finally:
            if n:
                raise ValueError("v")
        return n

    def in_a_loop(n):
        items = [1]
        for i in range(3):
            try:
                try:
                    items[n + i] = 2
                    try:
                        n += items[n]
                    except ValueError as error:
                        n += 2
                except IndexError as error:
                    try:
                        try:
                            items[n + 1] = 3
                        except KeyError:
                            raise
                        finally:
                            n += 5
                    except IndexError:
                        if i:
                            raise
                finally:
                    if n > 1000:
                        raise ValueError("v")
            except IndexError as error:
                n += 1000
        raise

    same(once, (0,), (1,))
    same(in_a_loop, (0,), (1,), (990,))


def test_an_exception_is_a_value():
    def returned(x):
        try:
            raise ValueError("x" * x, 1.5)
        except ValueError as error:
            return error

    def shown(x):
        try:
            if x == 0:
                raise Special("s", x)
            return str(1 // (x - 1))
        except (ArithmeticError, Own) as error:
            kept = error
        return f"{kept} {kept!r}"

    def unbound(x):
        error = "before"
        try:
            raise ValueError(x)
        except ValueError as error:
            pass
        return error

    same(returned, (0,), (3,))
    same(shown, (0,), (1,), (2,))
    same(unbound, (1,))


def test_values_are_counted_on_the_way_to_handlers():
    def containers(x):
        rows = [str(x)] * 3
        try:
            rows.append("end" * x)
            text = rows[x]
            rows = [text + "!"]
            text = rows[x]
        except IndexError:
            text = "f" + str(len(rows))
            rows.append("caught")
        return text, rows

    def arrays(x):
        a = np.ones(3)
        for i in range(5):
            try:
                b = a * i
                a = a + b[i]
                c = np.zeros(4 + i)
                a[0] += c[x]
            except IndexError:
                a = a[:2] if len(a) > 2 else np.ones(5)
        return float(a.sum())

    def dropped(x):
        count = 0
        for i in range(x):
            try:
                raise ValueError("text" + str(i), i)
            except ValueError:
                count += 1
        return count

    def helper(rows, i):
        rows.append([i])
        return rows[i][0] // (i - 2)

    compiled = njit(helper)

    def calls(n):
        rows, seen = [[0]], 0
        for i in range(n):
            try:
                seen += compiled(rows, i)
            except (IndexError, ZeroDivisionError) as error:
                seen += len(str(error))
        return seen, rows

    same(containers, *((x,) for x in range(5)))
    same(arrays, (2,), (5,), (9,))
    same(dropped, (0,), (10,))
    same(calls, (0,), (5,))


def test_in_comprehensions_and_closures():
    def comprehended(items):
        halves = [x / 2 for x in items]
        try:
            return [1 / x for x in items]
        except ZeroDivisionError:
            return halves

    def closed(x):
        total = 0

        def add(y):
            nonlocal total
            try:
                total += 10 // y
            except ZeroDivisionError:
                total += 100
            return total

        try:
            return add(x) + add(0) + 1 // (x - 2)
        except ZeroDivisionError:
            return -total

    same(comprehended, ((1, 2),), ((1, 0),))
    same(closed, (1,), (2,), (0,))


def test_names_are_what_they_were_where_the_exception_came():
    def names(a, x):
        i, text = 0, None
        try:
            i = 1
            text = "one"
            i = int(a[x])
            text = "two"
            i = int(a[i])
            text = None
        except IndexError:
            return i, text
        return i, text

    same(names, *((np.array([5, 1, 2]), x) for x in range(5)))


def test_exceptions_of_python_are_caught():
    def parsed(text):
        try:
            return int(text)
        except ValueError as error:
            return len(str(error))

    same(parsed, ("12",), ("x",))


def test_the_error_of_the_stack_is_caught():
    @njit
    def deep(n):
        if n < 0:
            return 0
        return deep(n + 1) + 1

    @njit
    def caught(n):
        try:
            return deep(n)
        except RecursionError:
            return -1

    assert caught(1) == -1


@pytest.mark.parametrize("count", [1000])
def test_a_loop_in_a_try_is_one_without(count):
    @njit
    def plain(a):
        total = 0.0
        for i in range(len(a)):
            total += a[i]
        return total

    @njit
    def protected(a):
        total = 0.0
        try:
            for i in range(len(a)):
                total += a[i]
        except IndexError:
            total = -1.0
        return total

    a = np.arange(float(count))
    assert plain(a) == protected(a)


def test_an_exception_that_no_clause_takes_goes_through_finally():
    def not_taken(d, x):
        n = 0
        try:
            try:
                raise KeyError(x)
            except ZeroDivisionError:
                n = 1
            finally:
                n += 10
                if x:
                    d["b"] += n
        except ValueError:
            n += 100
        finally:
            d["n"] = n
        return n

    def raised_in_finally(x):
        try:
            x = 1 // x
        finally:
            try:
                return "a"[x]
            except IndexError:
                raise
            finally:
                x += 1

    same(not_taken, ({"b": 1, "n": 0}, 0), ({"n": 0}, 1), ({"b": 1, "n": 0}, 1))
    same(raised_in_finally, (0,), (1,), (2,))


def test_loops_that_are_written_out():
    def around(n):
        found = 0
        try:
            for x in (1, 2.5, "text", None):
                if x is None:
                    raise KeyError(n)
                found += len(str(x))
                found += 10 // (found - n)
        except ZeroDivisionError:
            return str(-found)
        except KeyError as error:
            return str(error) + str(found)
        return str(found)

    def inside(n):
        found = 0.0
        for x in (1, 2.5, True):
            try:
                found += x / (n - found)
                continue
            except ZeroDivisionError:
                found += 100
            finally:
                found += 1
        return found

    def left(n):
        last = "none"
        for x in (1, "two", 3.5):
            try:
                last = str(x)
                if 1 // (n - len(last)):
                    break
            except ZeroDivisionError:
                return last
        return last + "!"

    same(around, *((n,) for n in range(6)))
    same(inside, *((n,) for n in range(4)))
    same(left, *((n,) for n in range(6)))


def test_exceptions_are_instances():
    def told(x):
        try:
            if x == 0:
                raise Special("s", x)
            return str(1 // (x - 1))
        except Exception as error:
            if isinstance(error, Own):
                return "own"
            if isinstance(error, (KeyError, ArithmeticError)):
                return "arithmetic"
            raise

    same(told, (0,), (1,), (2,))


def test_finally_in_another_try():
    def changed(n, log):
        total = 0
        try:
            total += 1
            try:
                total += 1
            except IndexError:
                found = n
                total += found
                total += 2
            finally:
                log.append(total)
        except KeyError:
            total += 4
        return total

    def raised(n, log):
        total = 0
        try:
            total += 1
            try:
                total += log[n]
            except IndexError:
                total += 10 // (n - 3)
            finally:
                log.append(total)
        except ZeroDivisionError:
            total += 100
        return total

    for function in (changed, raised):
        compiled = njit(function)
        for n in range(5):
            mine, wanted = [5], [5]
            assert (compiled(n, mine), mine) == (function(n, wanted), wanted)


def test_the_name_of_an_exception_in_an_inner_function():
    def ends(x):
        try:
            raise ValueError(x)
        except ValueError as caught:
            return (lambda: str(caught))(), [caught.args[0] + i for i in range(3)], sum(caught.args[0] for _ in range(2))

    def behind(x):
        try:
            raise ValueError(x)
        except ValueError as caught:
            shown = lambda: str(caught)  # noqa: E731
        return shown()

    def escapes(x):
        try:
            raise ValueError(x)
        except ValueError as caught:
            found = (caught.args[0] + i for i in range(3))
        return list(found)

    def changed(x):
        try:
            raise ValueError(x)
        except ValueError as caught:
            def change():
                nonlocal caught
                caught = ValueError(9)
            change()
            return caught.args[0]

    def rounds(n):
        total = 0
        for i in range(n):
            try:
                raise ValueError(str(i))
            except ValueError as caught:
                total += (lambda k: k + len(caught.args[0]))(10)
        return total

    def deleted(x):
        try:
            raise ValueError(x)
        except ValueError as caught:
            def read():
                return caught.args[0]
            before = read()
            del caught
        return before

    def raised(x):
        try:
            raise ValueError(x)
        except ValueError as caught:
            def again():
                raise caught
            again()

    for function in (ends, behind, escapes, changed, rounds, deleted, raised):
        same(function, (1,), (4,))


def test_variables_that_functions_share_end():
    def local(x):
        y = [x]
        read = lambda: y  # noqa: E731
        first = read()[0]
        del y
        if x > 2:
            return read()[0]
        if x > 1:
            del y
        if x > 0:
            return y[0]
        y = [first + 1]
        return read()[0]

    def steps(n):
        for i in range(n):
            y = [i]
            read = lambda: y[0]  # noqa: E731
            yield read()
            del y

    same(local, *((x,) for x in range(4)))
    assert list(njit(steps)(3)) == [0, 1, 2]


def test_the_number_of_an_exception_of_the_system_says_its_class():
    def found(number):
        try:
            raise OSError(number, "text")
        except FileNotFoundError as error:
            return error.errno, error.strerror
        except OSError as error:
            return error.errno + 100, error.args[1]

    same(found, (2,), (13,))
