MESSAGE="it is "the lab" (not the "plant"; API_SERVER_NAME="aks-lab-dns-0f0f0f0f.hcp.westeurope.azmk8s.io" LAST=<nil>
KUBE_CA_CRT="@CA@" /bin/bash /opt/lab.sh