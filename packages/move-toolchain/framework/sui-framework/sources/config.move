/// Settings that count from the next epoch on: transactions of one epoch all read the same value.
module sui::config;

use sui::dynamic_field::{Self as field, Field};

public struct Config<phantom WriteCap> has key {
    id: UID,
}

public struct Setting<Value: copy + drop + store> has drop, store {
    data: Option<SettingData<Value>>,
}

/// `newer_value` counts after `newer_value_epoch`; until its end the older one does.
public struct SettingData<Value: copy + drop + store> has drop, store {
    newer_value_epoch: u64,
    newer_value: Option<Value>,
    older_value_opt: Option<Value>,
}

public(package) fun new<WriteCap>(_: &mut WriteCap, ctx: &mut TxContext): Config<WriteCap> {
    Config { id: object::new(ctx) }
}

public(package) fun set_for_next_epoch<
    WriteCap,
    Name: copy + drop + store,
    Value: copy + drop + store,
>(
    config: &mut Config<WriteCap>,
    _: &mut WriteCap,
    name: Name,
    value: Value,
    ctx: &TxContext,
) {
    let epoch = ctx.epoch();
    if (!field::exists(&config.id, name)) {
        let data = SettingData {
            newer_value_epoch: epoch,
            newer_value: option::some(value),
            older_value_opt: option::none(),
        };
        field::add(&mut config.id, name, Setting { data: option::some(data) });
        return
    };
    let data = config.data_at(name, epoch);
    data.newer_value = option::some(value)
}

public(package) fun remove_for_next_epoch<
    WriteCap,
    Name: copy + drop + store,
    Value: copy + drop + store,
>(
    config: &mut Config<WriteCap>,
    _: &mut WriteCap,
    name: Name,
    ctx: &TxContext,
) {
    if (!field::exists(&config.id, name)) return;
    let data: &mut SettingData<Value> = config.data_at(name, ctx.epoch());
    data.newer_value = option::none();
    if (data.older_value_opt.is_none()) {
        let _: Setting<Value> = field::remove(&mut config.id, name);
    }
}

/// What is there of a setting; a value of an earlier epoch becomes the older one.
fun data_at<WriteCap, Name: copy + drop + store, Value: copy + drop + store>(
    config: &mut Config<WriteCap>,
    name: Name,
    epoch: u64,
): &mut SettingData<Value> {
    let setting: &mut Setting<Value> = field::borrow_mut(&mut config.id, name);
    let data = setting.data.borrow_mut();
    if (data.newer_value_epoch < epoch) {
        data.older_value_opt = data.newer_value;
        data.newer_value_epoch = epoch
    };
    data
}

/// The value that counts in the next epoch.
public(package) fun read_setting_for_next_epoch<
    WriteCap,
    Name: copy + drop + store,
    Value: copy + drop + store,
>(
    config: &Config<WriteCap>,
    name: Name,
): Option<Value> {
    if (!field::exists_with_type<Name, Setting<Value>>(&config.id, name)) return option::none();
    let setting: &Setting<Value> = field::borrow(&config.id, name);
    setting.data.borrow().newer_value
}

/// The value that counts in this epoch.
public(package) fun read_setting<Name: copy + drop + store, Value: copy + drop + store>(
    config: ID,
    name: Name,
    ctx: &TxContext,
): Option<Value> {
    let parent = config.to_address();
    let id = field::hash_type_and_key(parent, name);
    read_setting_impl<Field<Name, Setting<Value>>, Setting<Value>, SettingData<Value>, Value>(
        parent,
        id,
        ctx.epoch(),
    )
}

native fun read_setting_impl<
    FieldSettingValue: key,
    SettingValue: store,
    SettingDataValue: store,
    Value: copy + drop + store,
>(
    config: address,
    name: address,
    current_epoch: u64,
): Option<Value>;
