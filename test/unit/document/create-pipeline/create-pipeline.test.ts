import { describe, expect, it } from 'vitest'
import { createPipeline } from '../../../../src/document/create-pipeline/create-pipeline.ts'
import { readPipelineRequest } from '../../../../src/document/create-pipeline/pipeline-request.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'

const TEXT = `<cruise schemaVersion="75">
  <server />
  <pipelines>
    <pipeline name="Old" />
  </pipelines>
  <pipelines group="tools" />
  <!-- people -->
  <agents />
</cruise>
`

function created(query: string, text = TEXT): string {
  const reading = readPipelineRequest('build', new URLSearchParams(query))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return createPipeline(xmlDocument(text), reading.request, (secret) => `sealed-${secret.length}`)
}

/** The text between two tags of the new pipeline, on one line. */
function inside(query: string, name: string): string {
  const text = created(query, '<cruise><pipelines/></cruise>')
  return text.split(`<${name}>`)[1]?.split(`</${name}>`)[0] ?? ''
}

const PIPELINE = `    <pipeline name="build">
      <materials>
        <svn url="u" />
      </materials>
      <stage name="defaultStage">
        <jobs>
          <job name="defaultJob">
            <tasks>
              <ant />
            </tasks>
          </job>
        </jobs>
      </stage>
    </pipeline>
`

describe('createPipeline', () => {
  it('adds to the default group, named or not', () => {
    const end = '    <pipeline name="Old" />\n'

    expect(created('url=u')).toBe(TEXT.replace(end, `${end}${PIPELINE}`))
  })

  it('opens an empty group', () => {
    expect(created('url=u&pipelineGroup=tools')).toBe(
      TEXT.replace(
        '  <pipelines group="tools" />\n',
        `  <pipelines group="tools">\n${PIPELINE}  </pipelines>\n`,
      ),
    )
  })

  it('makes a group that is absent, behind the others', () => {
    const last = '  <pipelines group="tools" />\n'

    expect(created('url=u&pipelineGroup=Tools')).toBe(
      TEXT.replace(last, `${last}  <pipelines group="Tools">\n${PIPELINE}  </pipelines>\n`),
    )
  })

  it('makes the first group of a configuration in its place', () => {
    const text = '<cruise>\n  <server />\n  <agents />\n</cruise>'

    expect(created('url=u', text)).toBe(
      `<cruise>\n  <server />\n  <pipelines group="defaultGroup">\n${PIPELINE}  </pipelines>\n  <agents />\n</cruise>`,
    )
  })

  it.each([
    ['url=u&username=&password=pw', '<svn url="u" username="" encryptedPassword="sealed-2"/>'],
    ['scm=hg&url=u', '<hg url="u"/>'],
    ['scm=git&url=u&branch=master', '<git url="u"/>'],
    ['scm=git&url=a%26b&branch=dev', '<git url="a&amp;b" branch="dev"/>'],
    [
      'scm=p4&url=h:1&username=bob&password=pw&useTickets=true&view=//d <w>',
      '<p4 port="h:1" username="bob" encryptedPassword="sealed-2" useTickets="true"><view><![CDATA[//d <w>]]></view></p4>',
    ],
    ['scm=p4&url=h:1&useTickets=false&view=v', '<p4 port="h:1"><view><![CDATA[v]]></view></p4>'],
    [
      'scm=tfs&url=u&domain=d&username=bob&password=pw&projectPath=$/p',
      '<tfs url="u" username="bob" domain="d" encryptedPassword="sealed-2" projectPath="$/p"/>',
    ],
  ])('writes the material of %s', (query, material) => {
    expect(inside(query, 'materials')).toBe(material)
  })

  it.each([
    ['', '<ant/>'],
    ['buildfile=b.xml&target=all', '<ant buildfile="b.xml" target="all"/>'],
    ['builder=nant&target=all', '<nant target="all"/>'],
    ['builder=rake&buildfile=Rakefile', '<rake buildfile="Rakefile"/>'],
    ['builder=exec&command=make', '<exec command="make"/>'],
    [
      'builder=exec&command=sh -c "a %26%26 b"',
      '<exec command="sh"><arg>-c</arg><arg>a &amp;&amp; b</arg></exec>',
    ],
  ])('writes the task of %j', (query, task) => {
    expect(inside(`url=u&${query}`, 'tasks')).toBe(task)
  })

  it.each([
    ['source=out&source=log&dest=all', '<artifact src="out" dest="all"/><artifact src="log"/>'],
    ['source=out&dest=x&artifactType=test', '<test src="out" dest="x"/>'],
  ])('writes the artifacts of %s', (query, artifacts) => {
    expect(inside(`url=u&${query}`, 'artifacts')).toBe(artifacts)
  })

  it('refuses a name in use, whatever its case', () => {
    const text = TEXT.replace('"Old"', '"BUILD"')

    expect(() => created('url=u&pipelineGroup=new', text)).toThrow(
      expect.objectContaining({ code: 'name-in-use' }),
    )
  })
})
