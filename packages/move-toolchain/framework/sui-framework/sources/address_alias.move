/// Who may sign for an address: by default the address itself, then those that it names.
module sui::address_alias;

use sui::derived_object;
use sui::party;
use sui::vec_set::{Self, VecSet};

#[error(code = 0)]
const ENotSystemAddress: vector<u8> = b"Only the system makes the state.";
#[error(code = 1)]
const ENoSuchAlias: vector<u8> = b"It is not an alias.";
#[error(code = 2)]
const EAliasAlreadyExists: vector<u8> = b"It is an alias already.";
#[error(code = 3)]
const ECannotRemoveLastAlias: vector<u8> = b"One alias stays.";
#[error(code = 4)]
const ETooManyAliases: vector<u8> = b"There are too many aliases.";

const VERSION: u64 = 0;
const MAX_ALIASES: u64 = 8;

/// In one shared object at 0xa; what addresses say derives its ids from it.
public struct AddressAliasState has key {
    id: UID,
    version: u64,
}

/// Who may sign for an address. Only transactions of the address itself change it.
public struct AddressAliases has key {
    id: UID,
    aliases: VecSet<address>,
}

public struct AliasKey(address) has copy, drop, store;

#[allow(unused_function)]
fun create(ctx: &TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    transfer::share_object(AddressAliasState { id: object::address_alias_state(), version: VERSION })
}

/// Makes the sender's set, with the sender alone.
entry fun initialize(address_alias_state: &mut AddressAliasState, ctx: &TxContext) {
    let key = AliasKey(ctx.sender());
    assert!(!derived_object::exists(&address_alias_state.id, key), EAliasAlreadyExists);
    let id = derived_object::claim(&mut address_alias_state.id, key);
    let aliases = AddressAliases { id, aliases: vec_set::singleton(ctx.sender()) };
    transfer::party_transfer(aliases, party::single_owner(ctx.sender()))
}

entry fun add(aliases: &mut AddressAliases, alias: address) {
    assert!(!aliases.aliases.contains(&alias), EAliasAlreadyExists);
    assert!(aliases.aliases.length() < MAX_ALIASES, ETooManyAliases);
    aliases.aliases.insert(alias)
}

entry fun replace_all(aliases: &mut AddressAliases, new_aliases: vector<address>) {
    let set = vec_set::from_keys(new_aliases);
    assert!(!set.is_empty(), ECannotRemoveLastAlias);
    assert!(set.length() <= MAX_ALIASES, ETooManyAliases);
    aliases.aliases = set
}

entry fun remove(aliases: &mut AddressAliases, alias: address) {
    assert!(aliases.aliases.contains(&alias), ENoSuchAlias);
    assert!(aliases.aliases.length() > 1, ECannotRemoveLastAlias);
    aliases.aliases.remove(&alias)
}

#[test_only]
public fun create_for_testing(ctx: &TxContext) {
    create(ctx)
}
