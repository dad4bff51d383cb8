import { readStatements, type Statement, statementsMax } from '../db/queries/statements.ts';
import type { StatementField } from '../lib/config/attesters.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import { adaptorNode } from './nodes.ts';

/** Descriptions of the texts of a statement, by field. */
export const statementWords: Record<StatementField, string> = {
  summary: 'Text of the attester.',
  repository: 'The https url of the repository with the source.',
  commit: 'Commit of the source.',
  path: 'Folder of the package in the repository.',
  sourceHash: 'Hash of the source.',
  report: 'The https url of its report.',
  issuer: 'The person or program that issued it for the attester.',
};

const statementType = builder.objectRef<Statement>('Statement').implement({
  description:
    "An object by which an attester of the operator's list states something about a package. It is the attester's word, and the " +
    'service does not check it. Escape its texts.',
  fields: (t) => {
    const text = (name: StatementField) =>
      t.exposeString(name, {
        nullable: true,
        description: `${statementWords[name]} Null if the object has none.`,
      });
    return {
      objectId: t.exposeString('objectId', { description: 'The object on chain.' }),
      attester: t.exposeString('attester', { description: "Name of the attester in the operator's list." }),
      type: t.exposeString('type', { description: 'Type of its data, which identifies the attester.' }),
      says: t.exposeString('says', { description: "The operator's words for what its statements say." }),
      summary: text('summary'),
      repository: text('repository'),
      commit: text('commit'),
      path: text('path'),
      sourceHash: text('sourceHash'),
      report: text('report'),
      issuer: text('issuer'),
      readAtMs: t.expose('readAtMs', {
        type: 'Milliseconds',
        description: 'Time at which the object was read last.',
      }),
    };
  },
});

const loadStatements = batched(readStatements);

builder.objectField(adaptorNode, 'statements', (t) =>
  t.field({
    type: [statementType],
    description: `Statements of attesters about its package that are in force, at most ${statementsMax}.`,
    extensions: { statement: 'package statements' },
    complexity: { field: 1, multiplier: statementsMax },
    resolve: ({ network, packageId }, _, context) => loadStatements(context, { network, packageId }),
  }),
);
