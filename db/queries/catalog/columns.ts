/** Last sort keys of every order, so that no two entries are equal. Every server compares bytes alike. */
export const idColumns = ['service_type collate "C"', 'publisher collate "C"'];

/** Returns columns of a row as a select list. */
export const listColumns = (row: string, columns: readonly string[]): string =>
  columns.map((column) => `${row}.${column}`).join(', ');

/** Returns the position of the registration of row `row` as a select list. */
export const listRegistered = (row: string): string =>
  listColumns(row, ['registered_checkpoint', 'registered_tx_index', 'registered_event_index']);

/**
 * SQL that joins `since`, the position from which the reviews of a service type count: that of the first registration by a
 * publisher who was ever verified.
 */
export const joinCountedSince = (serviceType: string) => `cross join lateral (
    select ${listRegistered('first')} from listings first
    where first.network = $1 and first.service_type = ${serviceType} and first.ever_verified
    order by ${listRegistered('first')} limit 1) since`;
