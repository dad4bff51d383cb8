/// Values by priority, the highest first, in a binary heap.
module sui::priority_queue;

/// There is no entry to take.
const EPopFromEmptyHeap: u64 = 0;

public struct PriorityQueue<T: drop> has drop, store {
    /// No entry has a higher priority than the one at half its position.
    entries: vector<Entry<T>>,
}

public struct Entry<T: drop> has drop, store {
    priority: u64,
    value: T,
}

public fun new<T: drop>(entries: vector<Entry<T>>): PriorityQueue<T> {
    let mut queue = PriorityQueue { entries };
    let mut at = queue.entries.length() / 2;
    while (at > 0) {
        at = at - 1;
        queue.sink(at)
    };
    queue
}

public fun pop_max<T: drop>(pq: &mut PriorityQueue<T>): (u64, T) {
    assert!(!pq.entries.is_empty(), EPopFromEmptyHeap);
    let Entry { priority, value } = pq.entries.swap_remove(0);
    pq.sink(0);
    (priority, value)
}

public fun insert<T: drop>(pq: &mut PriorityQueue<T>, priority: u64, value: T) {
    let mut at = pq.entries.length();
    pq.entries.push_back(Entry { priority, value });
    while (at > 0 && pq.entries[at].priority > pq.entries[(at - 1) / 2].priority) {
        pq.entries.swap(at, (at - 1) / 2);
        at = (at - 1) / 2
    }
}

public fun new_entry<T: drop>(priority: u64, value: T): Entry<T> {
    Entry { priority, value }
}

public fun create_entries<T: drop>(mut p: vector<u64>, mut v: vector<T>): vector<Entry<T>> {
    assert!(p.length() == v.length(), 0);
    p.reverse();
    v.reverse();
    let mut entries = vector[];
    while (!p.is_empty()) entries.push_back(Entry { priority: p.pop_back(), value: v.pop_back() });
    entries
}

/// In the order of the heap, not sorted.
public fun priorities<T: drop>(pq: &PriorityQueue<T>): vector<u64> {
    pq.entries.map_ref!(|entry| entry.priority)
}

/// Moves an entry down until both below it have no higher priority.
fun sink<T: drop>(pq: &mut PriorityQueue<T>, mut at: u64) {
    let n = pq.entries.length();
    loop {
        let mut top = at;
        if (2 * at + 1 < n && pq.entries[2 * at + 1].priority > pq.entries[top].priority) top = 2 * at + 1;
        if (2 * at + 2 < n && pq.entries[2 * at + 2].priority > pq.entries[top].priority) top = 2 * at + 2;
        if (top == at) return;
        pq.entries.swap(at, top);
        at = top
    }
}
