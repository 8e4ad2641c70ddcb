import type { Definitions } from './vocabulary-notation.ts'

const PASSWORDS = 'username password encryptedPassword autoUpdate:boolean'
/** What materials of pipelines have, and those of configuration repositories had at first. */
const CHECKOUT = 'dest:path2 materialName:name invertFilter:boolean'

/** Repositories, plugins and what later versions keep beside the pipelines. */
export const PLUGIN_DEFINITIONS: Definitions = {
  repositories: { content: 'repository*' },
  repository: {
    attributes: 'id:name name:name!',
    content: 'pluginConfiguration configuration packages?',
  },
  packages: { content: 'package*' },
  package: { attributes: 'id:name name:name! autoUpdate:boolean', content: 'configuration' },
  scms: { content: 'scm*' },
  scm: {
    attributes: 'id:name name:name! autoUpdate:boolean',
    content: 'pluginConfiguration configuration',
  },
  pluginConfiguration: { attributes: 'id! version!', others: { attributes: 'version' } },
  configuration: { content: 'property+', others: { content: 'property*' } },
  property: { content: 'key value? encryptedValue?' },
  key: { content: '#text', others: { attributes: 'secure:boolean' } },
  value: { content: '#text' },
  encryptedValue: { content: '#text' },

  elastic: {
    attributes: 'jobStarvationTimeout:integer',
    content: 'profiles? & clusterProfiles? & agentProfiles?',
  },
  profiles: { content: 'profile*' },
  profile: { attributes: 'id:name! pluginId:name clusterProfileId:name', content: 'property*' },
  clusterProfiles: { content: 'clusterProfile*' },
  clusterProfile: { attributes: 'pluginId:name! id:name!', content: 'property*' },
  agentProfiles: { content: 'agentProfile*' },
  agentProfile: {
    attributes: 'id:name! clusterProfileId:name! pluginId:name',
    content: 'property*',
  },
  artifactStores: { content: 'artifactStore*' },
  artifactStore: { attributes: 'pluginId:name! id:name!', content: 'property*' },
  secretConfigs: { content: 'secretConfig*' },
  secretConfig: {
    attributes: 'id:name! pluginId:name!',
    content: 'description? & configuration? & rules?',
  },
  description: { content: '#text' },

  'config-repos': { content: 'config-repo*' },
  'config-repo': {
    attributes: 'id:name pluginId:name plugin:name',
    content: '(svn|p4|git|hg|tfs|scm) configuration? rules?',
  },
  'config-repo/svn': {
    attributes: `url! checkexternals:boolean ${PASSWORDS} ${CHECKOUT}`,
    content: 'filter?',
  },
  'config-repo/p4': {
    attributes: `port! useTickets:boolean ${PASSWORDS} ${CHECKOUT}`,
    content: 'view filter?',
  },
  'config-repo/p4/view': { content: '#text' },
  'config-repo/git': {
    attributes: `url! branch shallowClone:boolean ${PASSWORDS} ${CHECKOUT}`,
    content: 'filter?',
  },
  'config-repo/hg': { attributes: `url! branch ${PASSWORDS} ${CHECKOUT}`, content: 'filter?' },
  'config-repo/tfs': {
    attributes: `url! username! projectPath! domain ${PASSWORDS} ${CHECKOUT}`,
    content: 'filter?',
  },
  'config-repo/scm': { attributes: 'ref! dest:path2', content: 'filter?' },
}

/** Environments and agents. */
export const AGENT_DEFINITIONS: Definitions = {
  environments: { content: 'environment+' },
  environment: { attributes: 'name:name!', content: 'environmentvariables? agents? pipelines?' },
  'environment/agents': { content: 'physical*' },
  physical: { attributes: 'uuid!' },
  'environment/pipelines': { content: 'pipeline*' },
  'environment/pipelines/pipeline': { attributes: 'name:name!' },
  agents: { content: 'agent*' },
  agent: {
    attributes: 'hostname! ipaddress! uuid! isDisabled:boolean isDenied:boolean',
    content: 'resources?',
    others: { attributes: 'elasticAgentId elasticPluginId' },
  },
}
