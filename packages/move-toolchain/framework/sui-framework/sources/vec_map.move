/// A small map in a vector, in order of insertion; every operation reads it from the start.
module sui::vec_map;

/// The key is in the map.
const EKeyAlreadyExists: u64 = 0;
/// The key is not in the map.
const EKeyDoesNotExist: u64 = 1;
/// The map still has entries.
const EMapNotEmpty: u64 = 2;
/// The position is beyond the last entry.
const EIndexOutOfBounds: u64 = 3;
/// There is no last entry to take.
const EMapEmpty: u64 = 4;
/// There are not as many keys as values.
const EUnequalLengths: u64 = 5;

public struct VecMap<K: copy, V> has copy, drop, store {
    contents: vector<Entry<K, V>>,
}

public struct Entry<K: copy, V> has copy, drop, store {
    key: K,
    value: V,
}

public fun empty<K: copy, V>(): VecMap<K, V> {
    VecMap { contents: vector[] }
}

public fun insert<K: copy, V>(self: &mut VecMap<K, V>, key: K, value: V) {
    assert!(!self.contains(&key), EKeyAlreadyExists);
    self.contents.push_back(Entry { key, value })
}

public fun remove<K: copy, V>(self: &mut VecMap<K, V>, key: &K): (K, V) {
    let at = self.get_idx(key);
    self.remove_entry_by_idx(at)
}

public fun pop<K: copy, V>(self: &mut VecMap<K, V>): (K, V) {
    assert!(!self.is_empty(), EMapEmpty);
    let Entry { key, value } = self.contents.pop_back();
    (key, value)
}

#[syntax(index)]
public fun get_mut<K: copy, V>(self: &mut VecMap<K, V>, key: &K): &mut V {
    let at = self.get_idx(key);
    &mut self.contents[at].value
}

#[syntax(index)]
public fun get<K: copy, V>(self: &VecMap<K, V>, key: &K): &V {
    let at = self.get_idx(key);
    &self.contents[at].value
}

public fun try_get<K: copy, V: copy>(self: &VecMap<K, V>, key: &K): Option<V> {
    self.get_idx_opt(key).map!(|at| self.contents[at].value)
}

public fun contains<K: copy, V>(self: &VecMap<K, V>, key: &K): bool {
    self.get_idx_opt(key).is_some()
}

public fun length<K: copy, V>(self: &VecMap<K, V>): u64 {
    self.contents.length()
}

/// The older name of `length`.
public fun size<K: copy, V>(self: &VecMap<K, V>): u64 {
    self.length()
}

public fun is_empty<K: copy, V>(self: &VecMap<K, V>): bool {
    self.contents.is_empty()
}

public fun destroy_empty<K: copy, V>(self: VecMap<K, V>) {
    assert!(self.is_empty(), EMapNotEmpty);
    let VecMap { contents } = self;
    contents.destroy_empty()
}

public fun into_keys_values<K: copy, V>(self: VecMap<K, V>): (vector<K>, vector<V>) {
    let VecMap { contents } = self;
    let (mut keys, mut values) = (vector[], vector[]);
    contents.do!(|entry| {
        let Entry { key, value } = entry;
        keys.push_back(key);
        values.push_back(value);
    });
    (keys, values)
}

public fun from_keys_values<K: copy, V>(mut keys: vector<K>, mut values: vector<V>): VecMap<K, V> {
    assert!(keys.length() == values.length(), EUnequalLengths);
    keys.reverse();
    values.reverse();
    let mut map = empty();
    while (!keys.is_empty()) map.insert(keys.pop_back(), values.pop_back());
    keys.destroy_empty();
    values.destroy_empty();
    map
}

public fun keys<K: copy, V>(self: &VecMap<K, V>): vector<K> {
    self.contents.map_ref!(|entry| entry.key)
}

public fun get_idx_opt<K: copy, V>(self: &VecMap<K, V>, key: &K): Option<u64> {
    self.contents.find_index!(|entry| &entry.key == key)
}

public fun get_idx<K: copy, V>(self: &VecMap<K, V>, key: &K): u64 {
    let at = self.get_idx_opt(key);
    assert!(at.is_some(), EKeyDoesNotExist);
    at.destroy_some()
}

public fun get_entry_by_idx<K: copy, V>(self: &VecMap<K, V>, idx: u64): (&K, &V) {
    assert!(idx < self.length(), EIndexOutOfBounds);
    let Entry { key, value } = &self.contents[idx];
    (key, value)
}

public fun get_entry_by_idx_mut<K: copy, V>(self: &mut VecMap<K, V>, idx: u64): (&K, &mut V) {
    assert!(idx < self.length(), EIndexOutOfBounds);
    let Entry { key, value } = &mut self.contents[idx];
    (key, value)
}

public fun remove_entry_by_idx<K: copy, V>(self: &mut VecMap<K, V>, idx: u64): (K, V) {
    assert!(idx < self.length(), EIndexOutOfBounds);
    let Entry { key, value } = self.contents.remove(idx);
    (key, value)
}
