import { requestStatements } from '../../../db/queries/statements.ts';
import {
  parseStatedType,
  type StatementEvents,
  statementEvents,
} from '../../../lib/chain/events/statements.ts';
import { type DecodedEvent, decodeForStorage, type Source } from './source.ts';

type StatementEvent = DecodedEvent<StatementEvents>;

/** Events of statements about packages. An event names the package and the type, and a check reads the objects. */
export const statementsSource: Source<StatementEvent> = {
  name: 'statements',

  packages: ({ attesters }) =>
    attesters === undefined
      ? []
      : [{ packageId: attesters.packageId, setting: 'ATTESTERS', modules: statementEvents.modules }],

  decode: (path, contents) => decodeForStorage(statementEvents, path, contents),

  async append(client, network, events) {
    const requests = new Map<string, { packageId: string; type: string; checkpoint: number }>();
    for (const { data, type: eventType, checkpoint } of events) {
      const type = parseStatedType(eventType);
      if (!data || type === undefined) continue;
      const packageId = data.fields.subject;
      requests.set(`${packageId} ${type}`, { packageId, type, checkpoint });
    }
    await requestStatements(client, network, [...requests.values()]);
  },
};
