import { type CertifiedPackage, readCertifiedPackages } from '../db/queries/certificates.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import { adaptorNode } from './nodes.ts';

const stateEnum = builder.enumType('CertificateState', {
  description: "State of the certificates of a package's functions.",
  values: {
    PENDING: { value: 'pending', description: 'To be analyzed.' },
    COMPUTED: {
      value: 'computed',
      description: 'Each function that a transaction can call has a certificate.',
    },
    UNREAD: { value: 'unread', description: 'Functions have no certificate, for `reason`.' },
  } as const,
});

const packageCertificateType = builder.objectRef<CertifiedPackage>('PackageCertificate').implement({
  description:
    "The analysis of a package's bytecode. `GET /api/adaptors/{serviceType}/certificate` has its claims.",
  fields: (t) => ({
    state: t.expose('state', { type: stateEnum, description: 'Result of the analysis.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason of `UNREAD`, or the error of the last attempt of `PENDING`.',
    }),
    analysis: t.exposeInt('analysis', {
      nullable: true,
      description: 'Version of the analysis. Null while it is pending.',
    }),
  }),
});

const loadPackage = batched(readCertifiedPackages);

builder.objectField(adaptorNode, 'certificate', (t) =>
  t.field({
    type: packageCertificateType,
    description: 'The analysis of the bytecode of its package.',
    extensions: { statement: 'certificate' },
    resolve: ({ network, packageId }, _, context) => loadPackage(context, { network, packageId }),
  }),
);
