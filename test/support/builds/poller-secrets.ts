import { ConfigurationSecrets } from '../../../src/builds/assignment/configuration-secrets.ts'

/** The secrets of a configuration that has none. */
export const NO_SECRETS = new ConfigurationSecrets({
  box: { open: () => null },
  files: null,
  pipelines: { configuration: { secretConfigs: [] }, find: () => null },
})
