/// A shop of one owner: objects that are kept, shown and sold under the transfer policies of their types.
module sui::kiosk;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field as field;
use sui::dynamic_object_field as object_field;
use sui::event;
use sui::sui::SUI;
use sui::transfer_policy::{Self, TransferPolicy, TransferRequest};

public use fun kiosk_owner_cap_for as KioskOwnerCap.kiosk;

/// The cap belongs to another kiosk.
const ENotOwner: u64 = 0;
/// The coin is not worth the price.
const EIncorrectAmount: u64 = 1;
/// The kiosk holds less than is taken from it.
const ENotEnough: u64 = 2;
/// There are still items.
const ENotEmpty: u64 = 3;
/// A purchase cap was given out for the item.
const EListedExclusively: u64 = 4;
/// The purchase cap or the promise belongs to another kiosk.
const EWrongKiosk: u64 = 5;
const EAlreadyListed: u64 = 6;
/// Extensions of the old kind are not allowed.
const EUidAccessNotAllowed: u64 = 7;
const EItemLocked: u64 = 8;
const EItemIsListed: u64 = 9;
/// Another item came back.
const EItemMismatch: u64 = 10;
const EItemNotFound: u64 = 11;
const ENotListed: u64 = 12;

public struct Kiosk has key, store {
    id: UID,
    profits: Balance<SUI>,
    /// For show: rights come from the cap.
    owner: address,
    item_count: u32,
    allow_extensions: bool,
}

public struct KioskOwnerCap has key, store {
    id: UID,
    `for`: ID,
}

/// The only right to buy an item, for `min_price` or more.
public struct PurchaseCap<phantom T: key + store> has key, store {
    id: UID,
    kiosk_id: ID,
    item_id: ID,
    min_price: u64,
}

/// Only `return_val` ends it.
public struct Borrow {
    kiosk_id: ID,
    item_id: ID,
}

public struct Item has copy, drop, store { id: ID }

public struct Listing has copy, drop, store { id: ID, is_exclusive: bool }

public struct Lock has copy, drop, store { id: ID }

public struct ItemListed<phantom T: key + store> has copy, drop {
    kiosk: ID,
    id: ID,
    price: u64,
}

public struct ItemPurchased<phantom T: key + store> has copy, drop {
    kiosk: ID,
    id: ID,
    price: u64,
}

public struct ItemDelisted<phantom T: key + store> has copy, drop {
    kiosk: ID,
    id: ID,
}

#[allow(lint(self_transfer, share_owned), unused_function)]
entry fun default(ctx: &mut TxContext) {
    let (kiosk, cap) = new(ctx);
    transfer::transfer(cap, ctx.sender());
    transfer::share_object(kiosk)
}

public fun new(ctx: &mut TxContext): (Kiosk, KioskOwnerCap) {
    let kiosk = Kiosk {
        id: object::new(ctx),
        profits: balance::zero(),
        owner: ctx.sender(),
        item_count: 0,
        allow_extensions: false,
    };
    let cap = KioskOwnerCap { id: object::new(ctx), `for`: object::id(&kiosk) };
    (kiosk, cap)
}

public fun close_and_withdraw(self: Kiosk, cap: KioskOwnerCap, ctx: &mut TxContext): Coin<SUI> {
    let Kiosk { id, profits, owner: _, item_count, allow_extensions: _ } = self;
    let KioskOwnerCap { id: cap_id, `for` } = cap;
    assert!(id.to_inner() == `for`, ENotOwner);
    assert!(item_count == 0, ENotEmpty);
    cap_id.delete();
    id.delete();
    profits.into_coin(ctx)
}

public fun set_owner(self: &mut Kiosk, cap: &KioskOwnerCap, ctx: &TxContext) {
    self.set_owner_custom(cap, ctx.sender())
}

public fun set_owner_custom(self: &mut Kiosk, cap: &KioskOwnerCap, owner: address) {
    self.check(cap);
    self.owner = owner
}

public fun place<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, item: T) {
    self.check(cap);
    self.place_internal(item)
}

/// Placed for good: the item leaves only by a sale.
public fun lock<T: key + store>(
    self: &mut Kiosk,
    cap: &KioskOwnerCap,
    _policy: &TransferPolicy<T>,
    item: T,
) {
    self.check(cap);
    self.lock_internal(item)
}

public fun take<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, id: ID): T {
    self.check(cap);
    assert!(!self.is_locked(id), EItemLocked);
    assert!(!self.is_listed_exclusively(id), EListedExclusively);
    assert!(self.has_item(id), EItemNotFound);
    self.item_count = self.item_count - 1;
    field::remove_if_exists<Listing, u64>(&mut self.id, Listing { id, is_exclusive: false });
    object_field::remove(&mut self.id, Item { id })
}

public fun list<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, id: ID, price: u64) {
    self.check(cap);
    assert!(self.has_item_with_type<T>(id), EItemNotFound);
    assert!(!self.is_listed_exclusively(id), EListedExclusively);
    field::add(&mut self.id, Listing { id, is_exclusive: false }, price);
    event::emit(ItemListed<T> { kiosk: object::id(self), id, price })
}

public fun place_and_list<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, item: T, price: u64) {
    let id = object::id(&item);
    self.place(cap, item);
    self.list<T>(cap, id, price)
}

public fun delist<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, id: ID) {
    self.check(cap);
    assert!(self.has_item_with_type<T>(id), EItemNotFound);
    assert!(!self.is_listed_exclusively(id), EListedExclusively);
    assert!(self.is_listed(id), ENotListed);
    field::remove<Listing, u64>(&mut self.id, Listing { id, is_exclusive: false });
    event::emit(ItemDelisted<T> { kiosk: object::id(self), id })
}

public fun purchase<T: key + store>(
    self: &mut Kiosk,
    id: ID,
    payment: Coin<SUI>,
): (T, TransferRequest<T>) {
    let price: u64 = field::remove(&mut self.id, Listing { id, is_exclusive: false });
    let item: T = object_field::remove(&mut self.id, Item { id });
    assert!(payment.value() == price, EIncorrectAmount);
    let request = self.sold(id, payment);
    event::emit(ItemPurchased<T> { kiosk: object::id(self), id, price });
    (item, request)
}

public fun list_with_purchase_cap<T: key + store>(
    self: &mut Kiosk,
    cap: &KioskOwnerCap,
    id: ID,
    min_price: u64,
    ctx: &mut TxContext,
): PurchaseCap<T> {
    self.check(cap);
    assert!(self.has_item_with_type<T>(id), EItemNotFound);
    assert!(!self.is_listed(id), EAlreadyListed);
    field::add(&mut self.id, Listing { id, is_exclusive: true }, min_price);
    PurchaseCap { id: object::new(ctx), kiosk_id: object::id(self), item_id: id, min_price }
}

public fun purchase_with_cap<T: key + store>(
    self: &mut Kiosk,
    purchase_cap: PurchaseCap<T>,
    payment: Coin<SUI>,
): (T, TransferRequest<T>) {
    let PurchaseCap { id: cap_id, kiosk_id, item_id: id, min_price } = purchase_cap;
    cap_id.delete();
    assert!(payment.value() >= min_price, EIncorrectAmount);
    assert!(object::id(self) == kiosk_id, EWrongKiosk);
    field::remove<Listing, u64>(&mut self.id, Listing { id, is_exclusive: true });
    let request = self.sold(id, payment);
    (object_field::remove(&mut self.id, Item { id }), request)
}

public fun return_purchase_cap<T: key + store>(self: &mut Kiosk, purchase_cap: PurchaseCap<T>) {
    let PurchaseCap { id, kiosk_id, item_id, min_price: _ } = purchase_cap;
    assert!(object::id(self) == kiosk_id, EWrongKiosk);
    field::remove<Listing, u64>(&mut self.id, Listing { id: item_id, is_exclusive: true });
    id.delete()
}

public fun withdraw(
    self: &mut Kiosk,
    cap: &KioskOwnerCap,
    amount: Option<u64>,
    ctx: &mut TxContext,
): Coin<SUI> {
    self.check(cap);
    let held = self.profits.value();
    let amount = amount.destroy_with_default(held);
    assert!(amount <= held, ENotEnough);
    self.profits.split(amount).into_coin(ctx)
}

public(package) fun lock_internal<T: key + store>(self: &mut Kiosk, item: T) {
    field::add(&mut self.id, Lock { id: object::id(&item) }, true);
    self.place_internal(item)
}

public(package) fun place_internal<T: key + store>(self: &mut Kiosk, item: T) {
    self.item_count = self.item_count + 1;
    object_field::add(&mut self.id, Item { id: object::id(&item) }, item)
}

/// Takes the payment in and the lock off.
public(package) fun uid_mut_internal(self: &mut Kiosk): &mut UID {
    &mut self.id
}

fun sold<T: key + store>(self: &mut Kiosk, id: ID, payment: Coin<SUI>): TransferRequest<T> {
    let paid = payment.value();
    self.item_count = self.item_count - 1;
    self.profits.join(payment.into_balance());
    field::remove_if_exists<Lock, bool>(&mut self.id, Lock { id });
    transfer_policy::new_request(id, paid, object::id(self))
}

fun check(self: &Kiosk, cap: &KioskOwnerCap) {
    assert!(object::id(self) == cap.`for`, ENotOwner)
}

public fun has_item(self: &Kiosk, id: ID): bool {
    object_field::exists(&self.id, Item { id })
}

public fun has_item_with_type<T: key + store>(self: &Kiosk, id: ID): bool {
    object_field::exists_with_type<Item, T>(&self.id, Item { id })
}

public fun is_locked(self: &Kiosk, id: ID): bool {
    field::exists(&self.id, Lock { id })
}

public fun is_listed(self: &Kiosk, id: ID): bool {
    field::exists(&self.id, Listing { id, is_exclusive: false }) || self.is_listed_exclusively(id)
}

public fun is_listed_exclusively(self: &Kiosk, id: ID): bool {
    field::exists(&self.id, Listing { id, is_exclusive: true })
}

public fun has_access(self: &mut Kiosk, cap: &KioskOwnerCap): bool {
    object::id(self) == cap.`for`
}

public fun uid_mut_as_owner(self: &mut Kiosk, cap: &KioskOwnerCap): &mut UID {
    self.check(cap);
    &mut self.id
}

public fun set_allow_extensions(self: &mut Kiosk, cap: &KioskOwnerCap, allow_extensions: bool) {
    self.check(cap);
    self.allow_extensions = allow_extensions
}

public fun uid(self: &Kiosk): &UID {
    &self.id
}

public fun uid_mut(self: &mut Kiosk): &mut UID {
    assert!(self.allow_extensions, EUidAccessNotAllowed);
    &mut self.id
}

public fun owner(self: &Kiosk): address {
    self.owner
}

public fun item_count(self: &Kiosk): u32 {
    self.item_count
}

public fun profits_amount(self: &Kiosk): u64 {
    self.profits.value()
}

public fun profits_mut(self: &mut Kiosk, cap: &KioskOwnerCap): &mut Balance<SUI> {
    self.check(cap);
    &mut self.profits
}

#[syntax(index)]
public fun borrow<T: key + store>(self: &Kiosk, cap: &KioskOwnerCap, id: ID): &T {
    self.check(cap);
    assert!(self.has_item(id), EItemNotFound);
    object_field::borrow(&self.id, Item { id })
}

#[syntax(index)]
public fun borrow_mut<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, id: ID): &mut T {
    self.check(cap);
    assert!(self.has_item(id), EItemNotFound);
    assert!(!self.is_listed(id), EItemIsListed);
    object_field::borrow_mut(&mut self.id, Item { id })
}

public fun borrow_val<T: key + store>(self: &mut Kiosk, cap: &KioskOwnerCap, id: ID): (T, Borrow) {
    self.check(cap);
    assert!(self.has_item(id), EItemNotFound);
    assert!(!self.is_listed(id), EItemIsListed);
    (object_field::remove(&mut self.id, Item { id }), Borrow { kiosk_id: object::id(self), item_id: id })
}

public fun return_val<T: key + store>(self: &mut Kiosk, item: T, borrow: Borrow) {
    let Borrow { kiosk_id, item_id } = borrow;
    assert!(object::id(self) == kiosk_id, EWrongKiosk);
    assert!(object::id(&item) == item_id, EItemMismatch);
    object_field::add(&mut self.id, Item { id: item_id }, item)
}

public fun kiosk_owner_cap_for(cap: &KioskOwnerCap): ID {
    cap.`for`
}

public fun purchase_cap_kiosk<T: key + store>(self: &PurchaseCap<T>): ID {
    self.kiosk_id
}

public fun purchase_cap_item<T: key + store>(self: &PurchaseCap<T>): ID {
    self.item_id
}

public fun purchase_cap_min_price<T: key + store>(self: &PurchaseCap<T>): u64 {
    self.min_price
}
