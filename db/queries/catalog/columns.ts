/** Ties end at the id; bytes compare alike on every server. */
export const id = ['service_type collate "C"', 'publisher collate "C"'];

/** Returns columns of a row as a select list. */
export const listColumns = (row: string, columns: readonly string[]): string =>
  columns.map((column) => `${row}.${column}`).join(', ');

/** Returns the position of the registration of row `row` as a select list. */
export const registered = (row: string): string =>
  listColumns(row, ['registered_checkpoint', 'registered_tx_index', 'registered_event_index']);

/** SQL for the position from which the reviews of a service type count: the first registration that was verified. */
export const countedSince = (serviceType: string) => `cross join lateral (
    select ${registered('first')} from listings first
    where first.network = $1 and first.service_type = ${serviceType} and first.ever_verified
    order by ${registered('first')} limit 1) since`;
