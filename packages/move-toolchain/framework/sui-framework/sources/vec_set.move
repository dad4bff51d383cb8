/// A small set in a vector, in order of insertion; every operation reads it from the start.
module sui::vec_set;

/// The key is in the set.
const EKeyAlreadyExists: u64 = 0;
/// The key is not in the set.
const EKeyDoesNotExist: u64 = 1;

public struct VecSet<K: copy + drop> has copy, drop, store {
    contents: vector<K>,
}

public fun empty<K: copy + drop>(): VecSet<K> {
    VecSet { contents: vector[] }
}

public fun singleton<K: copy + drop>(key: K): VecSet<K> {
    VecSet { contents: vector[key] }
}

public fun insert<K: copy + drop>(self: &mut VecSet<K>, key: K) {
    assert!(!self.contains(&key), EKeyAlreadyExists);
    self.contents.push_back(key)
}

public fun remove<K: copy + drop>(self: &mut VecSet<K>, key: &K) {
    let (found, at) = self.contents.index_of(key);
    assert!(found, EKeyDoesNotExist);
    self.contents.remove(at);
}

public fun contains<K: copy + drop>(self: &VecSet<K>, key: &K): bool {
    self.contents.contains(key)
}

public fun length<K: copy + drop>(self: &VecSet<K>): u64 {
    self.contents.length()
}

/// The older name of `length`.
public fun size<K: copy + drop>(self: &VecSet<K>): u64 {
    self.length()
}

public fun is_empty<K: copy + drop>(self: &VecSet<K>): bool {
    self.contents.is_empty()
}

public fun into_keys<K: copy + drop>(self: VecSet<K>): vector<K> {
    let VecSet { contents } = self;
    contents
}

public fun from_keys<K: copy + drop>(keys: vector<K>): VecSet<K> {
    let mut set = empty();
    keys.do!(|key| set.insert(key));
    set
}

public fun keys<K: copy + drop>(self: &VecSet<K>): &vector<K> {
    &self.contents
}
