/** The order in which the schemas, old and new together, want the children of some elements. */
export const CRUISE_CHILDREN = [
  'server',
  'elastic',
  'repositories',
  'scms',
  'config-repos',
  'artifactStores',
  'secretConfigs',
  'pipelines',
  'templates',
  'environments',
  'agents',
] as const

export const ENVIRONMENT_CHILDREN = ['environmentvariables', 'agents', 'pipelines'] as const
