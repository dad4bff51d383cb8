/// Another service, which the same wallet granted to and whose witness anyone gets: the service's ops call it.
module money_guard::ally;

public struct T has drop {}

public fun witness(): T { T {} }
