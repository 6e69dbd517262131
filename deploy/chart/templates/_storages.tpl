{{/* Storages of tenants: what controllers may read for them, and where they are. */}}

{{/* The storages of all entries of auth.tenants, as JSON. */}}
{{- define "svc.storages" -}}
{{- $all := list -}}
{{- range .Values.auth.tenants }}{{ $all = concat $all (.storages | default list) }}{{ end -}}
{{- toJson $all -}}
{{- end }}

{{/* Names of the Secrets with their credentials, and of those for other SvcTenants, as JSON. */}}
{{- define "svc.storages.secrets" -}}
{{- $names := .Values.auth.storageSecrets -}}
{{- range include "svc.storages" . | fromJsonArray -}}
{{- with ((.s3 | default dict).credentials | default dict).secretName }}{{ $names = append $names . }}{{ end -}}
{{- end -}}
{{- $names | uniq | sortAlpha | toJson -}}
{{- end }}

{{/* Ports of the storages of auth.tenants, as JSON. */}}
{{- define "svc.storages.ports" -}}
{{- $ports := list -}}
{{- range include "svc.storages" . | fromJsonArray -}}
{{- with .s3 -}}
{{- $url := urlParse (.endpoint | default "https://aws") -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "443" "80" (eq (lower $url.scheme) "https"))) -}}
{{- end -}}
{{- range (.https | default dict).hosts -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" . | trimPrefix ":" | default "443") -}}
{{- end -}}
{{- end -}}
{{- $ports | uniq | sortAlpha | toJson -}}
{{- end }}

{{/* Egress to the storages, if there are any. */}}
{{- define "svc.egress.storages" -}}
{{- $policy := .Values.networkPolicy.storages -}}
{{- with $policy.ports | default (include "svc.storages.ports" . | fromJsonArray) }}
{{ include "svc.egress" (dict "to" $policy.to "ports" .) }}
{{- end }}
{{- end }}
