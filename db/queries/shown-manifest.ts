/** SQL for a manifest as it is shown, from row `m` of `manifests`. */
export const shownManifest = 'coalesce(m.shown, m.body)';
