//! Tests of the format and of the user cache.

use crate::{CachedObject, Entry, Fault, File, Level, Member, Stamp, Store, write, write_compressed};
use std::fs;
use std::path::PathBuf;

const STAMP: Stamp = Stamp { build: 7, sources: 8 };

/// A folder of its own for a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("rumba-image-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Folder(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.join("image")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn entry(number: usize) -> Entry {
    let member = |at: usize| Member { symbol: format!("f{number}.{at}"), text: "text ".repeat(number) };
    Entry {
        key: format!("f{number}(int64)"),
        result: "list(int64 x 3)".into(),
        can_fail: number % 2 == 0,
        ops: number as u32,
        members: (0..number % 3 + 1).map(member).collect(),
        calls: vec!["g(int64)".into(); number % 2],
        objects: vec![(Level::X86(3), vec![1; number]), (Level::Exactly("cpu +avx".into()), vec![2; 5])],
    }
}

fn written(folder: &Folder, count: usize) -> Vec<Entry> {
    let entries: Vec<Entry> = (0..count).map(entry).collect();
    write(&folder.path(), STAMP, &entries).expect("the folder can be written");
    entries
}

fn opened(folder: &Folder) -> Result<File, Fault> {
    File::open(&folder.path(), STAMP)
}

#[test]
fn what_is_written_is_found() {
    let folder = Folder::new("found");
    let entries = written(&folder, 100);
    let file = opened(&folder).expect("the file is whole");
    assert_eq!(file.len(), 100);
    for entry in &entries {
        assert_eq!(file.find(&entry.key), Ok(Some(entry.clone())));
    }
    assert_eq!(file.find::<Entry>("g(int64)"), Ok(None));
    assert_eq!(file.entries::<Entry>().filter(Result::is_ok).count(), 100);
    assert_eq!(entries[3].object(&Level::X86(3)), Some(&[1, 1, 1][..]));
    assert_eq!(entries[3].object(&Level::X86(4)), None);
}

#[test]
fn an_image_of_nothing_is_empty() {
    let folder = Folder::new("empty");
    written(&folder, 0);
    let file = opened(&folder).expect("the file is whole");
    assert!(file.is_empty());
    assert_eq!(file.find::<Entry>("f(int64)"), Ok(None));
}

#[test]
fn other_stamps_and_no_file_are_told_apart() {
    let folder = Folder::new("stamps");
    assert_eq!(opened(&folder).err(), Some(Fault::Missing));
    written(&folder, 3);
    let open = |build, sources| File::open(&folder.path(), Stamp { build, sources }).err();
    assert_eq!(open(7, 8), None);
    assert_eq!(open(1, 8), Some(Fault::OtherBuild));
    assert_eq!(open(7, 1), Some(Fault::OtherSources));
}

/// Whatever is cut off, nothing is read that was not written.
#[test]
fn a_file_without_its_end_is_refused() {
    let folder = Folder::new("cut");
    written(&folder, 5);
    let whole = fs::read(folder.path()).expect("it was written");
    for length in 0..whole.len() {
        fs::write(folder.path(), &whole[..length]).expect("the folder can be written");
        assert!(opened(&folder).is_err(), "{length} of {} bytes", whole.len());
    }
}

/// Whatever bit is flipped, every entry is as it was or is refused.
#[test]
fn a_flipped_bit_is_noticed() {
    let folder = Folder::new("flip");
    let entries = written(&folder, 5);
    let whole = fs::read(folder.path()).expect("it was written");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(folder.path(), &bytes).expect("the folder can be written");
        let Ok(file) = opened(&folder) else { continue };
        let refused =
            entries.iter().filter(|entry| file.find::<Entry>(&entry.key) == Err(Fault::Corrupted)).count();
        let found = entries.iter().filter(|&entry| file.find(&entry.key) == Ok(Some(entry.clone()))).count();
        assert_eq!((refused, found), (1, 4), "byte {at}");
    }
}

/// Many long records that are alike.
fn alike() -> Vec<Entry> {
    let text = |number: usize| (0..4000).map(|at| format!("v{at} = add v{} {number}\n", at / 3)).collect();
    let with_text =
        |number| Entry { members: vec![Member { symbol: "f".into(), text: text(number) }], ..entry(number) };
    (0..60).map(with_text).collect()
}

#[test]
fn compressed_records_are_found() {
    let folder = Folder::new("compressed");
    let entries = alike();
    write(&folder.path(), STAMP, &entries).expect("the folder can be written");
    let plain = fs::metadata(folder.path()).expect("it was written").len();
    write_compressed(&folder.path(), STAMP, &entries).expect("the folder can be written");
    let compressed = fs::metadata(folder.path()).expect("it was written").len();
    assert!(compressed < plain / 5, "{compressed} of {plain} bytes");
    let file = opened(&folder).expect("the file is whole");
    for entry in &entries {
        assert_eq!(file.find(&entry.key), Ok(Some(entry.clone())));
    }
}

/// Wherever bytes of the dictionary or of compressed records are changed, every entry is as it was or is refused.
#[test]
fn damaged_compressed_records_are_noticed() {
    let folder = Folder::new("damaged");
    let entries = alike();
    write_compressed(&folder.path(), STAMP, &entries).expect("the folder can be written");
    let whole = fs::read(folder.path()).expect("it was written");
    for at in (0..whole.len() - 8).step_by(whole.len() / 200) {
        let mut bytes = whole.clone();
        bytes[at..at + 8].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(folder.path(), &bytes).expect("the folder can be written");
        let Ok(file) = opened(&folder) else { continue };
        for entry in &entries {
            match file.find::<Entry>(&entry.key) {
                Ok(found) => assert_eq!(found.as_ref(), Some(entry), "byte {at}"),
                Err(fault) => assert_eq!(fault, Fault::Corrupted, "byte {at}"),
            }
        }
    }
}

#[test]
fn the_store_keeps_and_repairs() {
    let folder = Folder::new("store");
    let store = Store::new(&folder.0.join("deep/er"), STAMP, "cpu", 1 << 20);
    assert_eq!(store.find::<Entry>("f3(int64)"), Ok(None));
    store.keep(&entry(3)).expect("the folder can be written");
    assert_eq!(store.find("f3(int64)"), Ok(Some(entry(3))));
    let other = Store::new(&folder.0.join("deep/er"), STAMP, "another cpu", 1 << 20);
    assert_eq!(other.find::<Entry>("f3(int64)"), Ok(None));
    let files = || fs::read_dir(folder.0.join("deep/er")).expect("it was made").flatten();
    let file = files().next().expect("one was kept").path();
    fs::write(&file, b"nonsense").expect("the folder can be written");
    assert!(store.find::<Entry>("f3(int64)").is_err());
    assert_eq!(files().count(), 0);
    assert_eq!(store.find::<Entry>("f3(int64)"), Ok(None));
}

#[test]
fn the_store_stays_small() {
    let folder = Folder::new("small");
    let store = Store::new(&folder.0, STAMP, "cpu", 2000);
    for number in 0..50 {
        store.keep(&entry(number)).expect("the folder can be written");
    }
    let files = fs::read_dir(&folder.0).expect("it was made").flatten();
    let total: u64 = files.map(|file| file.metadata().expect("it is there").len()).sum();
    assert!(total <= 2000, "{total} bytes");
    assert_eq!(store.find("f49(int64)"), Ok(Some(entry(49))));
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let folder = Folder::new("killed");
    let store = Store::new(&folder.0, STAMP, "cpu", 1 << 20);
    let made = |name: &str| {
        let file = fs::File::create(folder.0.join(name)).expect("the folder can be written");
        (folder.0.join(name), file)
    };
    let (old, file) = made(".f.instance.1.1");
    let hour = std::time::Duration::from_secs(3600);
    file.set_modified(std::time::SystemTime::now() - hour).expect("it is ours");
    let (new, _) = made(".f.instance.2.1");
    store.keep(&entry(1)).expect("the folder can be written");
    assert_eq!((old.exists(), new.exists()), (false, true));
}

#[test]
fn threads_keep_the_same_instance() {
    let folder = Folder::new("threads");
    let store = Store::new(&folder.0, STAMP, "cpu", 1 << 20);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    store.keep(&entry(9)).expect("the folder can be written");
                    assert_eq!(store.find("f9(int64)"), Ok(Some(entry(9))));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(&folder.0).expect("it was made").count(), 1);
}

#[test]
fn objects_and_instances_are_kept_side_by_side() {
    let folder = Folder::new("objects");
    let store = Store::new(&folder.0, STAMP, "cpu", 1 << 20);
    let object = CachedObject {
        key: "f3(int64)".into(),
        function: "f".into(),
        file: "f.py".into(),
        line: 3,
        object: vec![1; 70],
    };
    store.keep(&entry(3)).expect("the folder can be written");
    store.keep(&object).expect("the folder can be written");
    assert_eq!(store.find("f3(int64)"), Ok(Some(entry(3))));
    assert_eq!(store.find("f3(int64)"), Ok(Some(object)));
}

#[test]
fn what_was_used_lately_stays() {
    let folder = Folder::new("used");
    let store = Store::new(&folder.0, STAMP, "cpu", 2000);
    let path = |number: usize| store.path::<Entry>(&entry(number).key);
    let hours =
        |number: usize| std::time::SystemTime::now() - std::time::Duration::from_secs(3600 * number as u64);
    for number in 0..3 {
        store.keep(&entry(number)).expect("the folder can be written");
        let file = fs::File::open(path(number)).expect("it was kept");
        file.set_modified(hours(9 - number)).expect("it is ours");
    }
    assert!(store.find::<Entry>("f0(int64)").is_ok_and(|found| found.is_some()));
    for number in 3..50 {
        store.keep(&entry(number)).expect("the folder can be written");
        if !path(1).exists() {
            break;
        }
    }
    assert_eq!((path(0).exists(), path(1).exists()), (true, false));
}

#[test]
fn one_process_at_a_time_makes_a_record() {
    let folder = Folder::new("lock");
    let store = Store::new(&folder.0, STAMP, "cpu", 1 << 20);
    let mut ends = [0; 2];
    // SAFETY: the child locks, says so, waits and leaves.
    let child = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let child = libc::fork();
        if child == 0 {
            let lock = store.lock("a");
            libc::write(ends[1], (&raw const ends).cast(), 1);
            libc::usleep(300_000);
            // A process that is killed frees its locks.
            std::mem::forget(lock);
            libc::_exit(0);
        }
        libc::read(ends[0], (&raw mut ends).cast(), 1);
        child
    };
    let begin = std::time::Instant::now();
    assert!(store.lock("b").is_some());
    let other = begin.elapsed();
    assert!(store.lock("a").is_some());
    let same = begin.elapsed();
    // SAFETY: the child is ours.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    assert!(same.as_millis() >= 100, "{other:?} {same:?}");
}
