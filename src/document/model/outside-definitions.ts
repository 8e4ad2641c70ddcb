import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import {
  At,
  type ModelField,
  manyOf,
  childrenOf,
  ELEMENT_NAME,
  many,
  modelOf,
  OWN_TEXT,
  type ValueOf,
} from './fields.ts'
import { PLUGIN_ELEMENTS } from '../schema/plugins.ts'
import { SERVER_ELEMENTS } from '../schema/server.ts'
import { CONFIGURATION, PLUGIN } from './values.ts'

/** An element or attribute of some versions that asks for something outside of pipelines. */
const OutsideDefinition = z.object({
  at: At,
  element: z.enum([
    'purge',
    'backup',
    'webhookSecret',
    'luau',
    'authConfig',
    'allowOnlyKnownUsersToLogin',
    'groups',
    'pluginRole',
    'policy',
    'elasticProfile',
    'jobStarvationTimeout',
    'config-repo',
    'artifactStore',
    'secretConfig',
    'vmms',
  ]),
  /** Its name or id; empty where it has none. */
  name: z.string(),
})
export type OutsideDefinition = z.infer<typeof OutsideDefinition>

/** Lists those that are not acted upon, in the order of what they are. */
export const OUTSIDE_DEFINITIONS = {
  form: manyOf(OutsideDefinition),
  read: definitionsIn,
} satisfies ModelField

function definitionsIn(root: ModelNode): OutsideDefinition[] {
  const server = root.child('server')
  const elastics = [server?.child('elastic'), root.child('elastic')].flatMap((each) => each ?? [])
  return [
    ...(server ? serverDefinitions(server) : []),
    ...elastics.flatMap((elastic) => [
      ...partsOf('elasticProfile', elastic.list('profiles', 'profile')),
      ...partsOf('elasticProfile', elastic.list('agentProfiles', 'agentProfile')),
    ]),
    ...attributesOf('jobStarvationTimeout', elastics),
    ...partsOf('config-repo', root.list('config-repos', 'config-repo')),
    ...partsOf('artifactStore', root.list('artifactStores', 'artifactStore')),
    ...partsOf('secretConfig', root.list('secretConfigs', 'secretConfig')),
    ...partsOf('vmms', root.list('vmms').filter(isFilled)),
  ]
}

function serverDefinitions(server: ModelNode): OutsideDefinition[] {
  const security = server.child('security')
  return [
    ...partsOf('purge', [server].filter(isPurging)),
    ...partsOf('purge', server.list('artifacts', 'purgeSettings').filter(isFilled)),
    ...partsOf('backup', server.list('backup').filter(isAtWork)),
    ...attributesOf('webhookSecret', [server]),
    ...(security ? securityDefinitions(security) : []),
  ]
}

function securityDefinitions(security: ModelNode): OutsideDefinition[] {
  const roles = security.child('roles')?.children ?? []
  const authConfigs = security.list('authConfigs', 'authConfig')
  return [
    ...partsOf('luau', security.list('luau')),
    ...partsOf('authConfig', authConfigs),
    ...partsOf('allowOnlyKnownUsersToLogin', [security, ...authConfigs].filter(isForKnownUsers)),
    ...partsOf(
      'pluginRole',
      roles.filter(({ name }) => name === 'pluginRole'),
    ),
    ...roles.flatMap((role) => [
      ...partsOf('policy', role.list('policy'), role.attribute('name')),
      ...partsOf('groups', role.list('groups').filter(isFilled), role.attribute('name')),
    ]),
  ]
}

function partsOf(
  element: OutsideDefinition['element'],
  nodes: readonly ModelNode[] = [],
  named: string | null = null,
): OutsideDefinition[] {
  return nodes.map((node) => {
    const name = named ?? node.attribute('id') ?? node.attribute('name') ?? ''
    return { at: node.at, element, name }
  })
}

function attributesOf(
  name: OutsideDefinition['element'],
  nodes: readonly ModelNode[],
): OutsideDefinition[] {
  const having = nodes.filter((node) => (node.attribute(name) ?? '') !== '')
  return having.map(({ at }) => ({ at, element: name, name: '' }))
}

function isFilled({ children }: ModelNode): boolean {
  return children.length > 0
}

function isPurging(server: ModelNode): boolean {
  return (server.attribute('purgeStart') ?? '').trim() !== ''
}

function isAtWork(backup: ModelNode): boolean {
  const texts = [backup.attribute('schedule'), backup.attribute('postBackupScript')]
  return texts.some((text) => (text ?? '').trim() !== '')
}

function isForKnownUsers(element: ModelNode): boolean {
  return ['true', '1'].includes((element.attribute('allowOnlyKnownUsersToLogin') ?? '').trim())
}

const PackageDefinition = modelOf(PLUGIN_ELEMENTS.package, { properties: CONFIGURATION })
export type PackageDefinition = ValueOf<typeof PackageDefinition>

export const PackageRepository = modelOf(PLUGIN_ELEMENTS.repository, {
  plugin: PLUGIN,
  properties: CONFIGURATION,
  packages: many(PackageDefinition, 'packages', 'package'),
})
export type PackageRepository = ValueOf<typeof PackageRepository>

export const ScmDefinition = modelOf(PLUGIN_ELEMENTS.scm, {
  plugin: PLUGIN,
  properties: CONFIGURATION,
})
export type ScmDefinition = ValueOf<typeof ScmDefinition>

/** Allows or denies something to what its text names, which may have wildcards. */
const Rule = modelOf(SERVER_ELEMENTS.allow, { effect: ELEMENT_NAME, resource: OWN_TEXT })

/** Secrets that are kept elsewhere, and the rules of who may refer to them. */
export const SecretConfig = modelOf(PLUGIN_ELEMENTS.secretConfig, {
  rules: childrenOf('rules', Rule),
})
export type SecretConfig = ValueOf<typeof SecretConfig>
