import { flag, number, optional, required } from './attribute.ts'
import type { ElementRows } from './element.ts'

/** Repositories, plugins and what later versions keep beside the pipelines. */
export const PLUGIN_ELEMENTS = {
  repositories: { content: 'repository*', keepsUnknown: true },
  repository: {
    attributes: { id: optional('name'), name: required('name') },
    content: 'pluginConfiguration configuration packages?',
  },
  packages: { content: 'package*' },
  package: {
    attributes: { id: optional('name'), name: required('name'), autoUpdate: flag('true') },
    content: 'configuration',
  },
  scms: { content: 'scm*', keepsUnknown: true },
  scm: {
    attributes: { id: optional('name'), name: required('name'), autoUpdate: flag('true') },
    content: 'pluginConfiguration configuration',
  },
  pluginConfiguration: {
    attributes: { id: required('text'), version: required('text').optionalElsewhere() },
  },
  configuration: { content: 'property+', elsewhere: 'property*' },
  property: {
    content: 'key value? encryptedValue?',
    texts: { key: required('text'), value: optional('text'), encryptedValue: optional('text') },
  },
  key: { attributes: { secure: flag('false').elsewhere() }, content: '#text' },
  value: { content: '#text' },
  encryptedValue: { content: '#text' },

  elastic: {
    attributes: { jobStarvationTimeout: number('integer') },
    content: 'profiles? & clusterProfiles? & agentProfiles?',
    keepsUnknown: true,
  },
  profiles: { content: 'profile*' },
  profile: {
    attributes: {
      id: required('name'),
      pluginId: optional('name'),
      clusterProfileId: optional('name'),
    },
    content: 'property*',
  },
  clusterProfiles: { content: 'clusterProfile*' },
  clusterProfile: {
    attributes: { pluginId: required('name'), id: required('name') },
    content: 'property*',
  },
  agentProfiles: { content: 'agentProfile*' },
  agentProfile: {
    attributes: {
      id: required('name'),
      clusterProfileId: required('name'),
      pluginId: optional('name'),
    },
    content: 'property*',
  },
  artifactStores: { content: 'artifactStore*', keepsUnknown: true },
  artifactStore: {
    attributes: { pluginId: required('name'), id: required('name') },
    content: 'property*',
  },
  secretConfigs: { content: 'secretConfig*', keepsUnknown: true },
  secretConfig: {
    attributes: { id: required('name'), pluginId: required('name') },
    content: 'description? & configuration? & rules?',
  },
  description: { content: '#text' },
} as const satisfies ElementRows
