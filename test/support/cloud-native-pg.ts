const text = { type: 'string' };
const quantities = { type: 'object', additionalProperties: text };
const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

/**
 * The fields of a CloudNativePG `Cluster` that the chart uses, with their types of the resource definition of version
 * 1.30.0 (`config/crd/bases/postgresql.cnpg.io_clusters.yaml` of cloudnative-pg/cloudnative-pg). It has 60 times as much.
 */
export const cloudNativePgCluster = closed(
  {
    apiVersion: { const: 'postgresql.cnpg.io/v1' },
    kind: { const: 'Cluster' },
    metadata: { type: 'object' },
    spec: closed(
      {
        instances: { type: 'integer', minimum: 1 },
        bootstrap: closed({ initdb: closed({ database: text, owner: text }) }),
        storage: closed({ size: text, storageClass: text }),
        resources: closed({ requests: quantities, limits: quantities }),
      },
      ['instances'],
    ),
  },
  ['metadata', 'spec'],
);
