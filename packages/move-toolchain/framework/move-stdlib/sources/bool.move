#[defines_primitive(bool)]
module std::bool;
