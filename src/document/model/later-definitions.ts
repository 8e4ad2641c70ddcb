import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import { At, type ModelField, manyOf } from './fields.ts'

/** An element of later versions that defines something outside of pipelines. */
const LaterDefinition = z.object({
  at: At,
  element: z.enum([
    'backup',
    'webhookSecret',
    'authConfig',
    'pluginRole',
    'policy',
    'elasticProfile',
    'jobStarvationTimeout',
    'config-repo',
    'artifactStore',
    'secretConfig',
  ]),
  /** Its name or id; empty where it has none. */
  name: z.string(),
})
export type LaterDefinition = z.infer<typeof LaterDefinition>

/** Lists them in the order of what they are. */
export const LATER_DEFINITIONS = {
  form: manyOf(LaterDefinition),
  read: definitionsIn,
} satisfies ModelField

function definitionsIn(root: ModelNode): LaterDefinition[] {
  const server = root.child('server')
  const security = server?.child('security')
  const roles = security?.child('roles')?.children ?? []
  const elastics = [server?.child('elastic'), root.child('elastic')].flatMap((each) => each ?? [])
  return [
    ...partsOf('backup', server?.list('backup').filter(isScheduled)),
    ...attributesOf('webhookSecret', server ? [server] : []),
    ...partsOf('authConfig', security?.list('authConfigs', 'authConfig')),
    ...partsOf(
      'pluginRole',
      roles.filter(({ name }) => name === 'pluginRole'),
    ),
    ...roles.flatMap((role) => partsOf('policy', role.list('policy'), role.attribute('name'))),
    ...elastics.flatMap((elastic) => [
      ...partsOf('elasticProfile', elastic.list('profiles', 'profile')),
      ...partsOf('elasticProfile', elastic.list('agentProfiles', 'agentProfile')),
    ]),
    ...attributesOf('jobStarvationTimeout', elastics),
    ...partsOf('config-repo', root.list('config-repos', 'config-repo')),
    ...partsOf('artifactStore', root.list('artifactStores', 'artifactStore')),
    ...partsOf('secretConfig', root.list('secretConfigs', 'secretConfig')),
  ]
}

function partsOf(
  element: LaterDefinition['element'],
  nodes: readonly ModelNode[] = [],
  named: string | null = null,
): LaterDefinition[] {
  return nodes.map((node) => {
    const name = named ?? node.attribute('id') ?? node.attribute('name') ?? ''
    return { at: node.at, element, name }
  })
}

function attributesOf(
  name: LaterDefinition['element'],
  nodes: readonly ModelNode[],
): LaterDefinition[] {
  const having = nodes.filter((node) => (node.attribute(name) ?? '') !== '')
  return having.map(({ at }) => ({ at, element: name, name: '' }))
}

function isScheduled(backup: ModelNode): boolean {
  return (backup.attribute('schedule') ?? '').trim() !== ''
}
