/** A small valid document with one pipeline for each name. */
export function documentWith(...pipelines: readonly string[]): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<cruise schemaVersion="75">',
    '  <pipelines group="first">',
    ...pipelines.flatMap(pipelineLines),
    '  </pipelines>',
    '</cruise>',
  ]
  return `${lines.join('\n')}\n`
}

function pipelineLines(name: string): string[] {
  return [
    `    <pipeline name="${name}">`,
    '      <materials>',
    `        <git url="https://example.org/${name}.git" />`,
    '      </materials>',
    '      <stage name="test">',
    '        <jobs>',
    '          <job name="unit">',
    '            <tasks>',
    '              <exec command="make" />',
    '            </tasks>',
    '          </job>',
    '        </jobs>',
    '      </stage>',
    '    </pipeline>',
  ]
}
