{{/* Conflicting volumes: Kubernetes would refuse the pods only after the migration, or a process would miss files it needs. */}}

{{- define "svc.faults.mounts" -}}
{{- $v := .Values -}}
{{- $names := dict }}
{{- $paths := dict }}
{{- range $at, $volume := $v.media.volumes }}
{{- $here := printf "media.volumes[%d]" $at }}
{{- include "svc.faults.mountPath" (list $here $volume.mountPath $paths) }}
{{- if hasKey $names $volume.name }}
{{ $here }}.name {{ $volume.name | quote }} is already used by {{ get $names $volume.name }}. Give each volume its own name.
{{- end }}
{{- $_ := set $names $volume.name $here }}
{{- $_ := set $paths (clean $volume.mountPath) $here }}
{{- end }}
{{- include "svc.faults.volumes" (list "controller" $v.controller (ternary $paths dict $v.media.inController)) }}
{{- include "svc.faults.volumes" (list "migration" $v.migration dict) }}
{{- include "svc.faults.volumes" (list "server" $v.server $paths) }}
{{- include "svc.faults.volumes" (list "nodes.defaults" $v.nodes.defaults $paths) }}
{{- range $name, $pool := $v.nodes.pools }}
{{- include "svc.faults.volumes" (list (printf "nodes.pools.%s" $name) ($pool | default dict) $paths) }}
{{- end }}
{{- end }}

{{/* Additional volumes of a part: (list "controller" {…} {mount path: value that mounts it}). */}}
{{- define "svc.faults.volumes" -}}
{{- $path := first . -}}
{{- $paths := deepCopy (last .) -}}
{{- $names := dict -}}
{{- range $at, $volume := (index . 1).extraVolumes }}
{{- $here := printf "%s.extraVolumes[%d]" $path $at }}
{{- $name := toString $volume.name }}
{{- if regexMatch "^(tmp|cache|extra-ca|tls|client-ca|tenants|results|credentials|controller-ca|media-.*)$" $name }}
{{ $here }}.name {{ $name | quote }} is the name of one of the chart's own volumes. Choose another.
{{- else if hasKey $names $name }}
{{ $here }}.name {{ $name | quote }} is already used by {{ get $names $name }}. Give each volume its own name.
{{- end }}
{{- $_ := set $names $name $here }}
{{- end }}
{{- range $at, $mount := (index . 1).extraVolumeMounts }}
{{- with $mount.mountPath }}
{{- $here := printf "%s.extraVolumeMounts[%d]" $path $at }}
{{- include "svc.faults.mountPath" (list $here (toString .) $paths) }}
{{- $_ := set $paths (clean (toString .)) $here }}
{{- end }}
{{- end }}
{{- end }}

{{/* (list "media.volumes[0]" "/media" {mount path: value that mounts it}) */}}
{{- define "svc.faults.mountPath" -}}
{{- $here := first . -}}
{{- $given := index . 1 -}}
{{- $path := clean $given -}}
{{- $below := ternary "/" (printf "%s/" $path) (eq $path "/") -}}
{{- $hidden := list -}}
{{- range list "/etc/svc" "/opt/svc" "/tmp" "/usr" "/var/cache/svc" -}}
{{- if or (hasPrefix $below (printf "%s/" .)) (hasPrefix "/etc/svc/" $below) -}}{{ $hidden = append $hidden . }}{{ end -}}
{{- end -}}
{{- with $hidden }}
{{ $here }}.mountPath {{ $given | quote }} would hide files that a process needs in {{ first . }}. Mount it elsewhere.
{{- else }}
{{- with get (last $) $path }}
{{ $here }}.mountPath {{ $given | quote }} is already used by {{ . }}. Mount each volume at its own path.
{{- end }}
{{- end }}
{{- end }}
