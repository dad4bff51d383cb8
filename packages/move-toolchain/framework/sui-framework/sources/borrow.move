/// Lending a value for the length of a transaction: it must come back, and be the same object.
module sui::borrow;

/// The promise was made for another value.
const EWrongBorrow: u64 = 0;
/// Another object came back.
const EWrongValue: u64 = 1;

public struct Referent<T: key + store> has store {
    id: address,
    value: Option<T>,
}

/// Only `put_back` ends it.
public struct Borrow {
    ref: address,
    obj: ID,
}

public fun new<T: key + store>(value: T, ctx: &mut TxContext): Referent<T> {
    Referent { id: ctx.fresh_object_address(), value: option::some(value) }
}

public fun borrow<T: key + store>(self: &mut Referent<T>): (T, Borrow) {
    let value = self.value.extract();
    let obj = object::id(&value);
    (value, Borrow { ref: self.id, obj })
}

public fun put_back<T: key + store>(self: &mut Referent<T>, value: T, borrow: Borrow) {
    let Borrow { ref, obj } = borrow;
    assert!(obj == object::id(&value), EWrongValue);
    assert!(ref == self.id, EWrongBorrow);
    self.value.fill(value)
}

public fun destroy<T: key + store>(self: Referent<T>): T {
    let Referent { id: _, value } = self;
    value.destroy_some()
}
