import { networks } from '@adaptor-marketplace/adaptor/networks';
import { catalogSorts } from '../../db/queries/catalog/query.ts';
import { builder } from '../builder.ts';

// Spelt as REST spells them, so that one vocabulary serves both.
export const networkEnum = builder.enumType('Network', { values: networks });
export const sortEnum = builder.enumType('AdaptorSort', {
  description:
    'Ties go by service type. Without a sort: the best match where q is given, else the most used.',
  values: catalogSorts,
});
