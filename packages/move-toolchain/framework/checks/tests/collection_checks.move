/// What our packages rely on among the collections of 0x2. The same tests hold with the real framework.
#[test_only]
module framework_checks::collection_checks;

use std::unit_test::{assert_eq, destroy};
use sui::bag;
use sui::dynamic_field as field;
use sui::dynamic_object_field as object_field;
use sui::linked_table::{Self, LinkedTable};
use sui::object_bag;
use sui::table;
use sui::vec_map;
use sui::vec_set;

public struct Thing has key, store {
    id: UID,
    size: u64,
}

fun thing(size: u64, ctx: &mut TxContext): Thing {
    Thing { id: object::new(ctx), size }
}

#[test]
fun fields_are_bound_to_a_name_and_a_type() {
    let ctx = &mut tx_context::dummy();
    let mut parent = object::new(ctx);
    field::add(&mut parent, b"a", 1u64);
    field::add(&mut parent, 7u8, true);
    *field::borrow_mut(&mut parent, b"a") = 5u64;
    assert_eq!(*field::borrow(&parent, b"a"), 5u64);
    assert!(field::exists_with_type<vector<u8>, u64>(&parent, b"a"));
    assert!(!field::exists_with_type<vector<u8>, u8>(&parent, b"a"));
    assert_eq!(field::remove(&mut parent, b"a"), 5u64);
    assert_eq!(field::remove_opt<vector<u8>, u64>(&mut parent, b"a"), option::none());
    parent.delete();
}

#[test, allow(deprecated_usage)]
fun a_name_is_bound_to_another_value_and_type() {
    let ctx = &mut tx_context::dummy();
    let mut parent = object::new(ctx);
    assert_eq!(field::replace(&mut parent, 1u8, true), option::none<bool>());
    assert_eq!(field::replace(&mut parent, 1u8, 7u64), option::some(true));
    assert!(field::exists(&parent, 1u8) && field::exists_(&parent, 1u8) && !field::exists(&parent, 2u8));
    *field::borrow_mut_or_add!(&mut parent, 2u8, 8u64) = 9;
    assert_eq!(*field::borrow_or_add!(&mut parent, 2u8, abort), 9u64);
    let mut sum = 0;
    field::get_do!(&parent, 1u8, |value: &u64| sum = sum + *value);
    field::get_mut_do!(&mut parent, 3u8, |_: &mut u64| abort);
    assert_eq!(sum, 7);
    assert_eq!(field::get_fold!(&parent, 3u8, 0, |value: &u64| *value), 0);
    assert_eq!(field::get_mut_fold!(&mut parent, 1u8, 0, |value: &mut u64| { *value = 5; *value }), 5);
    assert_eq!(field::remove_opt(&mut parent, 1u8), option::some(5u64));
    assert_eq!(field::remove_if_exists(&mut parent, 2u8), option::some(9u64));
    object_field::add(&mut parent, 1u8, thing(1, ctx));
    assert!(object_field::exists(&parent, 1u8));
    let old: Option<Thing> = object_field::replace(&mut parent, 1u8, thing(2, ctx));
    assert_eq!(old.borrow().size, 1);
    destroy(old);
    assert_eq!(object_field::get_fold!(&parent, 1u8, 0, |value: &Thing| value.size), 2);
    destroy(object_field::remove_opt<u8, Thing>(&mut parent, 1));
    parent.delete();
}

#[test, expected_failure(abort_code = field::EFieldAlreadyExists)]
fun a_name_is_taken_once() {
    let mut parent = object::new(&mut tx_context::dummy());
    field::add(&mut parent, 1u8, 1u64);
    field::add(&mut parent, 1u8, 2u64);
    abort
}

#[test, expected_failure(abort_code = field::EFieldDoesNotExist)]
fun what_is_not_there_cannot_be_borrowed() {
    let parent = object::new(&mut tx_context::dummy());
    let _: &u64 = field::borrow(&parent, 1u8);
    abort
}

#[test, expected_failure(abort_code = field::EFieldTypeMismatch)]
fun a_field_is_of_one_type() {
    let mut parent = object::new(&mut tx_context::dummy());
    field::add(&mut parent, 1u8, 1u64);
    let _: &bool = field::borrow(&parent, 1u8);
    abort
}

#[test]
fun object_fields_keep_the_object_and_its_id() {
    let ctx = &mut tx_context::dummy();
    let mut parent = object::new(ctx);
    let child = thing(3, ctx);
    let id = object::id(&child);
    object_field::add(&mut parent, b"child", child);
    // The same name among plain fields is another one.
    field::add(&mut parent, b"child", 1u64);
    assert_eq!(object_field::id(&parent, b"child"), option::some(id));
    assert!(object_field::exists_with_type<vector<u8>, Thing>(&parent, b"child"));
    object_field::borrow_mut<vector<u8>, Thing>(&mut parent, b"child").size = 4;
    let child: Thing = object_field::remove(&mut parent, b"child");
    assert_eq!(child.size, 4);
    assert_eq!(object::id(&child), id);
    assert_eq!(object_field::id(&parent, b"child"), option::none());
    destroy(child);
    destroy(parent);
}

#[test]
fun tables_and_bags_count_what_they_hold() {
    let ctx = &mut tx_context::dummy();
    let mut table = table::new<u64, bool>(ctx);
    table.add(1, true);
    table.add(2, false);
    assert!(table.contains(1) && table[1] && table.length() == 2);
    assert!(!table.remove(2));
    table.remove(1);
    table.destroy_empty();

    let mut bag = bag::new(ctx);
    bag.add(1u8, b"one");
    bag.add(b"two", 2u64);
    assert!(bag.contains_with_type<u8, vector<u8>>(1) && bag.length() == 2);
    assert_eq!(bag.remove(1u8), b"one");
    assert_eq!(bag.remove(b"two"), 2u64);
    bag.destroy_empty();

    let mut objects = object_bag::new(ctx);
    objects.add(1u8, thing(9, ctx));
    assert_eq!(objects.borrow<u8, Thing>(1).size, 9);
    destroy(objects.remove<u8, Thing>(1));
    objects.destroy_empty();
}

#[test, expected_failure(abort_code = table::ETableNotEmpty)]
fun a_table_with_entries_is_not_destroyed() {
    let mut table = table::new<u64, bool>(&mut tx_context::dummy());
    table.add(1, true);
    table.destroy_empty();
}

/// The keys from the front on, checked against those from the back on.
fun keys(table: &LinkedTable<u64, bool>): vector<u64> {
    let (mut forward, mut backward) = (vector[], vector[]);
    let mut at = *table.front();
    while (at.is_some()) {
        forward.push_back(*at.borrow());
        at = *table.next(*at.borrow());
    };
    at = *table.back();
    while (at.is_some()) {
        backward.push_back(*at.borrow());
        at = *table.prev(*at.borrow());
    };
    backward.reverse();
    assert_eq!(forward, backward);
    assert_eq!(forward.length(), table.length());
    forward
}

#[test]
fun linked_tables_keep_their_order_whatever_is_taken_out() {
    let mut table = linked_table::new<u64, bool>(&mut tx_context::dummy());
    assert_eq!(keys(&table), vector[]);
    3u64.do!(|i| table.push_back(i, true));
    table.push_front(9, false);
    assert_eq!(keys(&table), vector[9, 0, 1, 2]);
    assert!(table.remove(1));
    assert_eq!(keys(&table), vector[9, 0, 2]);
    assert!(!table.remove(9));
    assert!(table.remove(2));
    assert_eq!(keys(&table), vector[0]);
    let (key, value) = table.pop_front();
    assert!(key == 0 && value);
    assert_eq!(keys(&table), vector[]);
    table.push_front(5, true);
    table.push_front(4, true);
    let (key, _) = table.pop_back();
    assert_eq!(key, 5);
    assert!(table[4] && table.contains(4) && !table.contains(5));
    table.drop();
}

#[test]
fun small_maps_and_sets_hold_each_key_once() {
    let mut set = vec_set::from_keys(vector[3, 1]);
    set.insert(2);
    assert_eq!(*set.keys(), vector[3, 1, 2]);
    set.remove(&1);
    assert!(!set.contains(&1) && set.length() == 2);
    assert_eq!(set.into_keys(), vector[3, 2]);

    let mut map = vec_map::from_keys_values(vector[b"a", b"b"], vector[1, 2]);
    map.insert(b"c", 3);
    *map.get_mut(&b"b") = 20;
    assert_eq!(map[&b"b"], 20);
    assert_eq!(map.try_get(&b"x"), option::none());
    let (key, value) = map.remove(&b"a");
    assert!(key == b"a" && value == 1);
    let (key, value) = map.get_entry_by_idx(0);
    assert!(key == b"b" && value == 20);
    let (keys, values) = map.into_keys_values();
    assert_eq!(keys, vector[b"b", b"c"]);
    assert_eq!(values, vector[20, 3]);
}

#[test, expected_failure(abort_code = vec_set::EKeyAlreadyExists)]
fun a_set_takes_a_key_once() {
    vec_set::from_keys(vector[1, 1]);
}

#[test, expected_failure(abort_code = vec_map::EKeyDoesNotExist)]
fun a_map_answers_only_its_keys() {
    let map = vec_map::empty<u8, u8>();
    map.get(&1);
}
