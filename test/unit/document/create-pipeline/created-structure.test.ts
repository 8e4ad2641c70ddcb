import { describe, expect, it } from 'vitest'
import { registerAgents } from '../../../../src/document/agents/register-agents.ts'
import { createPipeline } from '../../../../src/document/create-pipeline/create-pipeline.ts'
import { readPipelineRequest } from '../../../../src/document/create-pipeline/pipeline-request.ts'
import { sealSecrets } from '../../../../src/document/secrets/seal-secrets.ts'
import { SecretBox } from '../../../../src/document/secrets/secret-box.ts'
import { checkStructure } from '../../../../src/document/structure/structure.ts'
import { realRevisions } from '../../../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../../../support/programs/shared-data.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'

const LOGIN = 'username=bob&password=pw'

const MATERIALS = [
  `url=http://host/svn&${LOGIN}`,
  'scm=hg&url=http://host/hg',
  'scm=git&url=http://host/git&branch=dev',
  `scm=p4&url=host:1666&view=//depot/... //w/...&useTickets=true&${LOGIN}`,
  `scm=tfs&url=http://host/tfs&domain=d&projectPath=$/p&${LOGIN}`,
]

const TASKS = [
  '',
  'builder=ant&buildfile=b.xml&target=all',
  'builder=nant',
  'builder=rake&target=test',
  'builder=exec&command=sh -c "make all"&source=out&dest=all&source=log',
]

const requests = MATERIALS.flatMap((material) => TASKS.map((task) => `${material}&${task}`))

function created(text: string, query: string): string {
  const reading = readPipelineRequest('brand-new', new URLSearchParams(query))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return createPipeline(xmlDocument(text), reading.request, (secret) => secret)
}

const EMPTY = '<cruise schemaVersion="75"/>'

describe('a configuration that the service edits', () => {
  it.each(requests)('has the structure of its schema after making a pipeline of %s', (query) => {
    expect(checkStructure(xmlDocument(created(EMPTY, query)))).toEqual([])
  })

  it.skipIf(SHARED_DATA === null)('has it when it is a real one that gains all at once', () => {
    const [real = EMPTY] = realRevisions(1)
    const crowd = ['a', 'b'].map((uuid) => ({
      uuid,
      hostname: uuid,
      ipaddress: '10.0.0.1',
      resources: ['linux'],
      environments: [],
    }))

    const pipelined = created(real, `${MATERIALS[0]}&pipelineGroup=fresh`)
    const sealed = sealSecrets(xmlDocument(pipelined), new SecretBox([Buffer.alloc(32)]))
    const registered = registerAgents(xmlDocument(sealed.text), crowd)

    expect(checkStructure(xmlDocument(registered.text ?? ''))).toEqual([])
  })
})
