import { BREAKS_OF_BUILDS } from './builds.ts'
import { BREAKS_OF_CONFIGURATIONS } from './configurations.ts'
import { BREAKS_OF_ENTITIES } from './entities.ts'
import { BREAKS_OF_IDENTITIES } from './identities.ts'
import { BREAKS_OF_REQUESTS } from './requests.ts'
import { BREAKS_OF_RULES } from './rules.ts'
import { BREAKS_OF_SERVERS } from './servers.ts'
import type { Break } from './break.ts'

/** All breaks; `npm run breaks` makes those that match its word. */
export const BREAKS: readonly Break[] = [
  ...BREAKS_OF_CONFIGURATIONS,
  ...BREAKS_OF_ENTITIES,
  ...BREAKS_OF_RULES,
  ...BREAKS_OF_BUILDS,
  ...BREAKS_OF_IDENTITIES,
  ...BREAKS_OF_REQUESTS,
  ...BREAKS_OF_SERVERS,
]
