const STAGE =
  '<stage name="s"><jobs><job name="j"><tasks><exec command="true" /></tasks></job></jobs></stage>'

function documentAt(version: number, before: string, after = ''): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="${version}">
  <server serverId="one" />
  ${before}
  <pipelines group="g">
    <pipeline name="p"><materials><git url="https://git.example.org/a.git" /></materials>${STAGE}</pipeline>
  </pipelines>
  ${after}
</cruise>
`
}

const CONFIG_REPO =
  '<config-repos><config-repo plugin="json"><git url="u" /></config-repo></config-repos>'
const PROFILE =
  '<elastic><profiles><profile id="d" pluginId="docker"><property><key>k</key></property></profile></profiles></elastic>'
const AGENT =
  '<agents><agent hostname="h" ipaddress="10.0.0.1" uuid="u" elasticAgentId="e" elasticPluginId="docker" /></agents>'
const UNKNOWN = '<elastic><swarms><swarm id="s" /></swarms></elastic>'

/** Documents of later versions with what only some of them have, the last with what none has. */
export const LATER_DOCUMENTS: readonly string[] = [
  documentAt(90, CONFIG_REPO),
  documentAt(104, PROFILE),
  documentAt(110, '', AGENT),
  documentAt(139, UNKNOWN),
]
