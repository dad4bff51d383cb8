/// Printing from unit tests; does nothing on a chain.
module std::debug;

public native fun print<T>(x: &T);
public native fun print_stack_trace();
