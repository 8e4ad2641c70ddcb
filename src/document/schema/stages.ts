import { z } from 'zod'
import { flag, number, optional, required } from './attribute.ts'
import type { ElementRows } from './element.ts'

const ApprovalType = z.string().pipe(z.enum(['success', 'manual']))

/** Stages, jobs and what jobs leave behind, in pipelines and in templates. */
export const STAGE_ELEMENTS = {
  stage: {
    attributes: {
      name: required('name'),
      fetchMaterials: flag('true'),
      cleanWorkingDir: flag('false'),
      artifactCleanupProhibited: flag('false'),
    },
    content: 'approval? environmentvariables? jobs+',
    elsewhere: 'approval? & environmentvariables? & jobs+',
  },
  approval: {
    attributes: {
      type: required('approvalType').or('success').into(ApprovalType).optionalElsewhere(),
      allowOnlyOnSuccess: flag('false').elsewhere(),
    },
    content: 'authorization?',
    elsewhere: 'authorization? & auth?',
  },
  'approval/authorization': { content: '(user|role)+' },
  auth: { content: '(user|role)+' },
  jobs: { content: 'job+' },
  job: {
    attributes: {
      name: required('jobname'),
      runOnAllAgents: flag('false'),
      runInstanceCount: number('positive'),
      /** Minutes without output after which the job is given up; 0 means never, null as the server says. */
      timeout: number('double'),
      elasticProfileId: optional('text').elsewhere().withoutField(),
    },
    content: 'environmentvariables? & tasks? & artifacts? & resources? & tabs? & properties?',
    elsewhere:
      'environmentvariables? & tasks? & artifacts? & resources? & agentConfig? & tabs? & properties?',
  },
  agentConfig: {
    attributes: { pluginId: required('text') },
    content: 'property*',
    keepsUnknown: true,
  },

  artifacts: {
    content: '(artifact|test)*',
    elsewhere: '(artifact|test|log|pluggableArtifact)*',
    keepsUnknown: true,
  },
  artifact: {
    attributes: {
      src: required('text').optionalElsewhere(),
      dest: optional('path'),
      id: optional('name').elsewhere().withoutField(),
      storeId: optional('text').elsewhere().withoutField(),
      type: optional('artifactType').elsewhere().withoutField(),
    },
    elsewhere: 'configuration? & property*',
  },
  pluggableArtifact: {
    attributes: { id: required('name'), storeId: required('name') },
    content: 'property*',
  },
  test: { attributes: { src: required('text'), dest: optional('path') } },
  log: { attributes: { src: optional('text'), dest: optional('text') } },
  resources: { content: 'resource*' },
  resource: { content: '#text' },
  tabs: { content: 'tab*' },
  tab: { attributes: { name: required('tabName'), path: required('nospace') } },
  properties: { content: 'property+' },
  'properties/property': {
    attributes: {
      name: required('name'),
      src: required('upTo512'),
      xpath: required('upTo512'),
    },
  },
} as const satisfies ElementRows
